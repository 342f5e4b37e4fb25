//! [`Client`]: sends the requests of a caller, and writes each as a `curl` command.

use crud_runtime::axum::http::Method;
use crud_runtime::testing::{Test, TestRequest};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value as Json, json};

use crate::rules::Caller;

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) method: Method,
    pub(crate) path: String,
    body: Option<Body>,
    headers: Vec<(&'static str, String)>,
    /// Whether the request gets an idempotency key, which some resources require.
    has_key: bool,
}

/// A body with its media type.
#[derive(Debug, Clone)]
struct Body {
    media_type: &'static str,
    text: String,
}

/// The answer to a request.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) sent: Sent,
    pub(crate) status: u16,
    text: String,
}

/// Sends the requests of a caller.
#[derive(Debug)]
pub(crate) struct Client {
    test: Test,
    /// The token of a person who has logged in.
    token: Option<String>,
}

impl Sent {
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), body: None, headers: Vec::new(), has_key: false }
    }

    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    pub(crate) fn post(path: impl Into<String>, body: &Json) -> Self {
        Self::new(Method::POST, path).json(body)
    }

    /// Adds a query parameter.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        let sign = if self.path.contains('?') { '&' } else { '?' };
        self.path = format!("{}{sign}{name}={}", self.path, utf8_percent_encode(value, NON_ALPHANUMERIC));
        self
    }

    /// Makes the request ask for events after a number.
    pub(crate) fn after(self, number: i64) -> Self {
        match self.body {
            Some(_) => self.json(&json!({ "after": number.to_string() })),
            None => self.with("after", &number.to_string()),
        }
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Adds an idempotency key, unless the request only reads.
    pub(crate) fn with_key(self) -> Self {
        let has_key = !matches!(self.method.as_str(), "GET" | "QUERY");
        Self { has_key, ..self }
    }

    pub(crate) fn json(self, body: &Json) -> Self {
        self.body("application/json", body.to_string())
    }

    pub(crate) fn body(self, media_type: &'static str, text: String) -> Self {
        Self { body: Some(Body { media_type, text }), ..self }
    }

    /// The request as a `curl` command of a caller.
    pub(crate) fn curl(&self, caller: &Caller) -> String {
        let method = if self.method == Method::GET { String::new() } else { format!("-X {} ", self.method) };
        let token = if caller.is_nobody() { "" } else { " -H \"authorization: Bearer $TOKEN\"" };
        let body = self.body.as_ref().map(|Body { media_type, text }| {
            format!(" -H 'content-type: {media_type}' -d '{}'", text.replace('\'', "'\\''"))
        });
        let body = body.unwrap_or_default();
        let headers: Vec<String> = self.headers.iter().map(|(name, value)| format!(" -H '{name}: {value}'")).collect();
        let headers = headers.concat();
        format!("curl {method}'localhost:8000{}'{token}{headers}{body}   # {}", self.path, caller.described())
    }
}

impl Reply {
    /// The body as JSON; null if it is not JSON.
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// The lines of the body, each as JSON. Other lines are left out.
    pub(crate) fn lines(&self) -> Vec<Json> {
        self.text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) const fn is_success(&self) -> bool {
        matches!(self.status, 200..=299)
    }

    /// Whether the status is a refusal by access: 401 or 403.
    pub(crate) const fn is_denied(&self) -> bool {
        matches!(self.status, 401 | 403)
    }

    /// The status; after a failure, with the problem's detail.
    pub(crate) fn said(&self) -> String {
        if self.is_success() {
            return self.status.to_string();
        }
        let problem = self.json();
        let detail = problem["detail"].as_str().or(problem["title"].as_str()).unwrap_or_default();
        format!("{} {detail}", self.status).trim_end().to_owned()
    }
}

impl Client {
    pub(crate) fn of(test: &Test, caller: &Caller) -> Self {
        let test = match &caller.principal {
            Some(principal) => test.as_principal(principal.clone()),
            None => test.clone(),
        };
        Self { test, token: None }
    }

    /// The client of a person who has logged in.
    pub(crate) fn of_token(test: &Test, token: String) -> Self {
        Self { test: test.clone(), token: Some(token) }
    }

    pub(crate) async fn send(&self, sent: Sent) -> Reply {
        let answer = self.request(&sent).await;
        Reply { status: answer.status(), text: answer.text(), sent }
    }

    /// Reads an endless answer, such as a stream of events, until `is_enough` accepts its text.
    pub(crate) async fn read(&self, sent: Sent, is_enough: impl Fn(&str) -> bool) -> Reply {
        let (mut answer, mut text) = (self.request(&sent).open().await, String::new());
        while !is_enough(&text)
            && let Some(part) = answer.next().await
        {
            text.push_str(&part);
        }
        Reply { status: answer.status(), text, sent }
    }

    fn request(&self, sent: &Sent) -> TestRequest {
        let mut request = self.test.request(sent.method.clone(), &sent.path);
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in &sent.headers {
            request = request.header(name, value);
        }
        if sent.has_key {
            request = request.header("idempotency-key", uuid::Uuid::now_v7().to_string());
        }
        if let Some(Body { media_type, text }) = &sent.body {
            request = request.body(media_type, text.clone());
        }
        request
    }
}
