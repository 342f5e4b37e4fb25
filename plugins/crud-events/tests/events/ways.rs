//! The ways to events, each with the credentials of a reader.

use std::fmt::Write as _;

use crud_runtime::testing::{Test, TestAnswer, TestRequest};
use serde_json::{Map, Value, json};

use crate::board::Stream;

/// A way to the events of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// `GET {prefix}/events`
    Poll,
    /// `POST {prefix}/events`
    PollByBody,
    /// `GET /events?resources=…`
    OfResources,
    /// `POST /events`
    OfViews,
    /// `GET {prefix}/events`, as a stream.
    Stream,
    /// `POST {prefix}/events`, as a stream.
    StreamByBody,
    /// `POST /events`, as a stream.
    StreamOfViews,
    /// `GET {prefix}/events?ticket=…`, as a stream.
    Ticket,
}

impl Way {
    pub(crate) const ALL: [Self; 8] = [
        Self::Poll,
        Self::PollByBody,
        Self::OfResources,
        Self::OfViews,
        Self::Stream,
        Self::StreamByBody,
        Self::StreamOfViews,
        Self::Ticket,
    ];

    /// The ways that take conditions.
    pub(crate) fn with_conditions() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|way| *way != Self::OfResources)
    }
}

/// A reader: the service with a token, or without one.
#[derive(Clone)]
pub(crate) struct Reader {
    pub(crate) test: Test,
    pub(crate) token: Option<String>,
}

/// Conditions on the records of a resource: parameters, such as `("board", json!(7))`.
pub(crate) type Conditions<'c> = &'c [(&'c str, Value)];

impl Reader {
    pub(crate) fn sign(&self, request: TestRequest) -> TestRequest {
        match &self.token {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Value, Value> {
        content(&self.sign(self.test.get(path)).await)
    }

    /// The events of a resource after a number by a way, or the problem.
    pub(crate) async fn read(
        &self,
        way: Way,
        resource: &str,
        conditions: Conditions<'_>,
        after: &str,
    ) -> Result<Vec<Value>, Value> {
        let (path, query) = (format!("/{resource}/events"), query(conditions, after));
        let body = body(conditions, after);
        let views = views(resource, conditions, after);
        let request = match way {
            Way::Poll | Way::Stream | Way::Ticket => self.test.get(format!("{path}?{query}")),
            Way::PollByBody | Way::StreamByBody => self.test.post(path, body),
            Way::OfResources => self.test.get(format!("/events?resources={resource}&{query}")),
            Way::OfViews | Way::StreamOfViews => self.test.post("/events", views),
        };
        let poll = content(&self.sign(request).await);
        if matches!(way, Way::Poll | Way::PollByBody | Way::OfResources | Way::OfViews) {
            return poll.map(|answer| answer["data"].as_array().expect("events").clone());
        }
        let stream = self.stream(way, resource, conditions, after).await;
        match (poll, stream) {
            (Ok(polled), Ok(mut stream)) => Ok(stream.upto(polled["after"].as_str().expect("a number")).await),
            (Err(problem), Err(refused)) => {
                assert_eq!((&problem["code"], &problem["errors"]), (&refused["code"], &refused["errors"]));
                Err(refused)
            }
            (poll, stream) => {
                panic!("{:?} {way:?} of {resource}: a poll has {poll:?}, a stream {:?}", self.token, stream.err())
            }
        }
    }

    /// The stream of a resource's events after a number, or the problem.
    pub(crate) async fn stream(
        &self,
        way: Way,
        resource: &str,
        conditions: Conditions<'_>,
        after: &str,
    ) -> Result<Stream, Value> {
        let (path, query) = (format!("/{resource}/events"), query(conditions, after));
        let request = match way {
            Way::StreamByBody => self.test.post(path, body(conditions, after)),
            Way::StreamOfViews => self.test.post("/events", views(resource, conditions, after)),
            Way::Ticket => {
                let ticket = content(&self.sign(self.test.post("/events/ticket", json!({}))).await)?;
                let ticket = ticket["ticket"].as_str().expect("a ticket").to_owned();
                return Stream::of(self.test.get(format!("{path}?ticket={ticket}&{query}"))).await;
            }
            _ => self.test.get(format!("{path}?{query}")),
        };
        Stream::of(self.sign(request)).await
    }
}

/// The JSON of an answer, or of its problem.
pub(crate) fn content(answer: &TestAnswer) -> Result<Value, Value> {
    let json = if answer.bytes().is_empty() { Value::Null } else { answer.json() };
    if answer.status() < 300 { Ok(json) } else { Err(json) }
}

fn query(conditions: Conditions<'_>, after: &str) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut query = format!("after={after}");
    for (name, value) in conditions {
        let _ = write!(query, "&{name}=");
        for byte in text(value).bytes() {
            let _ = write!(query, "%{byte:02X}");
        }
    }
    query
}

/// The body of a search: filters are conditions of `where`, and other parameters members.
fn body(conditions: Conditions<'_>, after: &str) -> Value {
    let mut body = members(conditions);
    body.insert("after".to_owned(), after.into());
    Value::Object(body)
}

fn members(conditions: Conditions<'_>) -> Map<String, Value> {
    let is_member = |name: &str| matches!(name, "where" | "include_deleted" | "only_deleted" | "q" | "sort" | "limit");
    let (members, filters): (Vec<_>, Vec<_>) = conditions
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .partition(|(name, _)| is_member(name));
    let mut members: Map<String, Value> = members.into_iter().collect();
    if !filters.is_empty() {
        members.insert("where".to_owned(), Value::Object(filters.into_iter().collect()));
    }
    members
}

fn views(resource: &str, conditions: Conditions<'_>, after: &str) -> Value {
    let mut view = members(conditions);
    view.insert("name".to_owned(), "it".into());
    view.insert("resource".to_owned(), resource.into());
    json!({ "after": after, "subscriptions": [view] })
}
