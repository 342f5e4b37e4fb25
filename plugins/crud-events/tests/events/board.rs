//! A board whose cards are followed.

use std::collections::BTreeMap;
use std::time::Duration;

use crud_events::Events;
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_runtime::testing::{Test, TestRequest, TestStream};
use crud_tests::{Database, on_each_transactional_backend, within};
use serde_json::{Value, json};

/// A card, which everyone with a token sees.
#[derive(Debug, Clone, Resource)]
#[crud(audit, soft_delete, filter(board, points, title), pagination, access(all(authenticated)))]
pub(crate) struct Card {
    pub(crate) id: i64,
    pub(crate) board: i64,
    pub(crate) title: String,
    pub(crate) points: Option<i32>,
    #[crud(visible(role("staff")))]
    pub(crate) price: Option<i32>,
    #[crud(hidden)]
    pub(crate) secret: Option<String>,
    pub(crate) deleted_at: Option<DateTime<Utc>>,
}

/// A note of its owner.
#[derive(Debug, Clone, Resource)]
#[crud(audit, filter(text), pagination, access(all(authenticated)))]
pub(crate) struct Note {
    pub(crate) id: i64,
    #[crud(owner(assign(role("staff"))))]
    pub(crate) owner: String,
    pub(crate) text: String,
}

/// A project of some members.
#[derive(Debug, Clone, Resource)]
#[crud(
    audit,
    filter(name),
    pagination,
    access(all(authenticated)),
    has_many(members(Member::project_id)),
    scope(role("member"), any(members::user_id(me)))
)]
pub(crate) struct Project {
    pub(crate) id: i64,
    pub(crate) name: String,
}

/// A member of a project.
#[derive(Debug, Clone, Resource)]
#[crud(audit, pagination, access(all(role("staff"))))]
pub(crate) struct Member {
    pub(crate) id: i64,
    #[crud(references(Project, on_delete(cascade)))]
    pub(crate) project_id: i64,
    pub(crate) user_id: String,
}

/// A task of a project.
#[derive(Debug, Clone, Resource)]
#[crud(audit, filter(project_id, project::name), pagination, access(all(authenticated)))]
pub(crate) struct Task {
    pub(crate) id: i64,
    #[crud(references(Project, on_delete(cascade)))]
    pub(crate) project_id: i64,
    pub(crate) title: String,
}

/// A draft, which staff restores.
#[derive(Debug, Clone, Resource)]
#[crud(audit, soft_delete, pagination, access(all(authenticated), restore(role("staff"))))]
pub(crate) struct Draft {
    pub(crate) id: i64,
    pub(crate) text: String,
    pub(crate) deleted_at: Option<DateTime<Utc>>,
}

/// A memo of staff.
#[derive(Debug, Clone, Resource)]
#[crud(audit, pagination, access(all(role("staff"))))]
pub(crate) struct Memo {
    pub(crate) id: i64,
    pub(crate) text: String,
}

/// An issue of a tenant.
#[derive(Debug, Clone, Resource)]
#[crud(audit, pagination, access(all(authenticated)))]
pub(crate) struct Issue {
    pub(crate) id: i64,
    #[crud(tenant(except(role("staff"))))]
    pub(crate) team: i64,
    pub(crate) title: String,
}

pub(crate) fn events() -> Events {
    let events = Events::new().resource::<Card>().resource::<Note>().resource::<Project>().resource::<Issue>();
    events.resource::<Task>().resource::<Draft>().resource::<Memo>()
}

/// The board on a database.
pub(crate) async fn service(database: &Database) -> Service {
    service_with(database, events()).await
}

/// The board with the program's own options of events.
pub(crate) async fn service_with(database: &Database, events: Events) -> Service {
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").tenant_claim("team").logout();
    let service = database.service().await.auth(auth.build().expect("authentication"));
    let service = service.plugin(events).expect("one plugin");
    let service = service.resource::<Task>().resource::<Draft>().resource::<Memo>();
    service.resource::<Card>().resource::<Note>().resource::<Project>().resource::<Member>().resource::<Issue>()
}

/// Runs a test of the board on every back end that can have events.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
pub(crate) fn on_board(test: impl AsyncFn(&Test)) {
    on_each_transactional_backend(async |database| {
        test(&service(database).await.test().await.expect("the service")).await;
    });
}

pub(crate) fn ann(test: &Test) -> Test {
    test.as_principal(Principal::new("ann").with_roles(["member"]))
}

pub(crate) fn bob(test: &Test) -> Test {
    test.as_principal(Principal::new("bob").with_roles(["member"]))
}

pub(crate) fn staff(test: &Test) -> Test {
    test.as_principal(Principal::new("sam").with_roles(["staff"]))
}

/// A new record; its id.
pub(crate) async fn create(test: &Test, path: &str, body: Value) -> i64 {
    test.post(path, body).await.expect(201).json()["id"].as_i64().expect("an id")
}

/// A new card of a board.
pub(crate) async fn card(test: &Test, board: i64, title: &str) -> i64 {
    create(test, "/cards", json!({ "board": board, "title": title })).await
}

/// The events of a poll, and the id after which the next one asks.
pub(crate) async fn poll(test: &Test, path: &str, after: &str) -> (Vec<Value>, String) {
    let separator = if path.contains('?') { '&' } else { '?' };
    let answer = test.get(format!("{path}{separator}after={after}")).await.expect(200).json();
    let after = answer["after"].as_str().expect("an id").to_owned();
    (answer["data"].as_array().expect("events").clone(), after)
}

/// The id from which a poll of what happens next begins.
pub(crate) async fn now(test: &Test, path: &str) -> String {
    test.get(path).await.expect(200).json()["after"].as_str().expect("an id").to_owned()
}

/// An open stream, with what has arrived.
pub(crate) struct Stream {
    answer: TestStream,
    rest: String,
    /// The last id that the client knows.
    pub(crate) last: String,
}

impl Stream {
    pub(crate) async fn open(test: &Test, path: &str) -> Self {
        Self::resume(test, path, None).await
    }

    pub(crate) async fn resume(test: &Test, path: &str, after: Option<&str>) -> Self {
        let mut request = test.get(path);
        if let Some(after) = after {
            request = request.header("last-event-id", after);
        }
        Self::of(request).await.expect("a stream")
    }

    /// The stream of a request, or the problem.
    pub(crate) async fn of(request: TestRequest) -> Result<Self, Value> {
        let mut answer = request.header("accept", "text/event-stream").open().await;
        if answer.status() != 200 {
            let body = answer.next().await.expect("a problem");
            return Err(serde_json::from_str(&body).expect("JSON"));
        }
        assert_eq!(answer.header("content-type"), Some("text/event-stream"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let mut stream = Self { answer, rest: String::new(), last: String::new() };
        assert!(stream.block().await.expect("a beginning").contains("retry: 2000"));
        Ok(stream)
    }

    /// The events up to a number, which the stream says that it has reached.
    pub(crate) async fn upto(&mut self, mark: &str) -> Vec<Value> {
        let number = |text: &str| text.parse::<i64>().unwrap_or(-1);
        let mut events = Vec::new();
        let read = async {
            while number(&self.last) < number(mark) {
                let block = self.block().await.expect("the stream goes on");
                let data = block.lines().find_map(|line| line.strip_prefix("data: "));
                events.extend(data.map(|data| serde_json::from_str::<Value>(data).expect("JSON")));
            }
        };
        within(Duration::from_secs(30), "the events", read).await;
        events
    }

    /// The next block of the stream; none at its end.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.rest.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.rest = rest;
                if let Some(id) = block.lines().find_map(|line| line.strip_prefix("id: ")) {
                    id.clone_into(&mut self.last);
                }
                return Some(block);
            }
            self.rest.push_str(&self.answer.next().await?);
        }
    }

    /// The next event; none at the end of the stream.
    pub(crate) async fn next_or_end(&mut self) -> Option<Value> {
        let next = async {
            loop {
                let block = self.block().await?;
                if let Some(data) = block.lines().find_map(|line| line.strip_prefix("data: ")) {
                    let event: Value = serde_json::from_str(data).expect("JSON");
                    let kind = block.lines().find_map(|line| line.strip_prefix("event: "));
                    assert_eq!((kind, Some(&*self.last)), (event["type"].as_str(), event["id"].as_str()));
                    return Some(event);
                }
            }
        };
        within(Duration::from_secs(30), "an event", next).await
    }

    pub(crate) async fn next(&mut self) -> Value {
        self.next_or_end().await.expect("the stream goes on")
    }
}

/// Records that a client has, by their keys: a list, and the events since.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Folded(pub(crate) BTreeMap<String, Value>);

impl Folded {
    /// The records of a list, and the id after which its stream resumes.
    pub(crate) async fn list(test: &Test, path: &str) -> (Self, String) {
        let separator = if path.contains('?') { '&' } else { '?' };
        let answer = test.get(format!("{path}{separator}limit=100")).await.expect(200);
        let after = answer.header("events-after").expect("a mark").to_owned();
        let records = answer.json()["data"].as_array().expect("records").clone();
        (Self(records.into_iter().map(|record| (record["id"].to_string(), record)).collect()), after)
    }

    /// Applies an event.
    pub(crate) fn apply(&mut self, event: &Value) {
        match (&event["data"], event["record_id"].to_string()) {
            (Value::Null, key) => drop(self.0.remove(&key)),
            (record, key) => drop(self.0.insert(key, record.clone())),
        }
    }
}
