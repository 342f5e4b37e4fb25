//! [`Answer`]: what a request got, with what all answers have in common already checked.

use std::fmt;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::Value;

use crate::documented::Documented;
use crate::leaks;
use crate::problem::Problem;

/// An answer: status, headers, body.
///
/// Its methods panic with the whole exchange, so that a failed test shows what was said.
#[derive(Clone)]
pub struct Answer {
    request: String,
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
    json: Option<Value>,
}

impl Answer {
    pub(crate) fn new(request: String, status: u16, headers: HeaderMap, body: Vec<u8>) -> Self {
        let status = StatusCode::from_u16(status).expect("a status");
        let json = is_json(&headers).then(|| serde_json::from_slice(&body).ok()).flatten();
        Self { request, status, headers, body, json }
    }

    /// The answer, if it has what all answers have; those of a whole service have more.
    ///
    /// # Panics
    /// When it lacks that, is a malformed problem document, or gives internals away.
    #[track_caller]
    pub(crate) fn check(self, secrets: &[String], whole_service: bool) -> Self {
        let identified = self.header("x-request-id").is_some_and(|id| !id.is_empty());
        assert!(identified || !whole_service, "the answer has no X-Request-Id\n{self}");
        // What the program answers by itself is the program's.
        let is_ours = whole_service || self.status() < 400 || !self.body.is_empty();
        if let Err(fault) = self.check_contract(secrets)
            && is_ours
        {
            panic!("the answer {fault}\n{self}");
        }
        self
    }

    /// Checks that the document has such an answer to such a request.
    #[track_caller]
    pub(crate) fn check_documented(&self, documented: &Documented, method: &str, target: &str) {
        if let Err(fault) = documented.check(method, target, self.status(), self.header("content-type")) {
            panic!("the answer {fault}\n{self}");
        }
    }

    fn check_contract(&self, secrets: &[String]) -> Result<(), String> {
        if self.body_is_forbidden() {
            return if self.body.is_empty() { Ok(()) } else { Err("has a body where none may be".to_owned()) };
        }
        if self.status.as_u16() < 400 {
            return self.check_success();
        }
        let text = format!("{:?} {}", self.headers, self.text());
        if let Some(leak) = leaks::find(&text, secrets) {
            return Err(format!("gives away `{leak}`"));
        }
        self.check_problem()
    }

    fn check_success(&self) -> Result<(), String> {
        if self.header("content-type") == Some("application/problem+json") {
            return Err("is a problem, and a success by its status".to_owned());
        }
        if is_json(&self.headers) && self.json.is_none() {
            return Err("says that it is JSON, and is none".to_owned());
        }
        Ok(())
    }

    fn check_problem(&self) -> Result<(), String> {
        if self.header("content-type") != Some("application/problem+json") {
            return Err("is an error, and no problem document by its media type".to_owned());
        }
        let document = self.json.as_ref().ok_or("is no JSON")?;
        let problem = Problem::parse(self.status.as_u16(), document)?;
        if problem.code == "internal" && document["request_id"].as_str() != self.header("x-request-id") {
            return Err("has another request_id than X-Request-Id".to_owned());
        }
        match self.status.as_u16() {
            405 if self.header("allow").is_none() => Err("is 405 without Allow".to_owned()),
            401 if !self.header("www-authenticate").is_some_and(|value| value.starts_with("Bearer ")) => {
                Err("is 401 without WWW-Authenticate".to_owned())
            }
            429 | 503 if self.header("retry-after").is_none() => Err("has no Retry-After".to_owned()),
            _ => Ok(()),
        }
    }

    fn body_is_forbidden(&self) -> bool {
        self.request.starts_with("HEAD ") || matches!(self.status.as_u16(), 204 | 304)
    }

    /// The status.
    pub fn status(&self) -> u16 {
        self.status.as_u16()
    }

    /// The answer, if it has this status.
    ///
    /// # Panics
    /// When it has another.
    #[allow(clippy::return_self_not_must_use, reason = "the status may be all that a test wants to know")]
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status(), status, "the status\n{self}");
        self
    }

    /// The JSON of a 200.
    ///
    /// # Panics
    /// When it is none.
    #[track_caller]
    pub fn ok(self) -> Value {
        self.expect(200).into_json()
    }

    /// The JSON of a 201.
    ///
    /// # Panics
    /// When it is none.
    #[track_caller]
    pub fn created(self) -> Value {
        self.expect(201).into_json()
    }

    /// The problem, if it has this code.
    ///
    /// # Panics
    /// When it has another, or is none.
    #[track_caller]
    pub fn problem(self, code: &str) -> Problem {
        assert!(self.status() >= 400, "is a problem: {code}\n{self}");
        let problem = Problem::parse(self.status(), self.json()).expect("a well-formed problem");
        assert_eq!(problem.code, code, "the code\n{self}");
        problem
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[track_caller]
    pub fn json(&self) -> &Value {
        self.json.as_ref().unwrap_or_else(|| panic!("has JSON\n{self}"))
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[track_caller]
    pub fn into_json(self) -> Value {
        self.json().clone()
    }

    /// The body as it came.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header's value; of several, the first.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(HeaderValue::to_str).and_then(Result::ok)
    }

    /// A header's value, which must be there.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn require(&self, name: &str) -> &str {
        self.header(name).unwrap_or_else(|| panic!("has the header {name}\n{self}"))
    }

    /// The `ETag`, which must be there.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn etag(&self) -> String {
        self.require("etag").to_owned()
    }

    /// The methods of `Allow`, sorted.
    ///
    /// # Panics
    /// When there is no `Allow`.
    #[track_caller]
    pub fn allow(&self) -> Vec<&str> {
        let mut methods: Vec<_> = self.require("allow").split(',').map(str::trim).collect();
        methods.sort_unstable();
        methods
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence == "application/json" || essence.ends_with("+json")
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "> {}\n< {}", self.request, self.status)?;
        for (name, value) in &self.headers {
            writeln!(f, "< {name}: {}", String::from_utf8_lossy(value.as_bytes()))?;
        }
        let text: String = self.text().chars().take(2_000).collect();
        f.write_str(&text)
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
