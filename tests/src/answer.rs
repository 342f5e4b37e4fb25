//! [`Answer`]: a received response that passed the checks common to all responses.

use std::fmt;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::Value;

use crate::leaks;
use crate::openapi::OpenApi;
use crate::problem::Problem;

/// A response: status, headers, body.
///
/// Its methods panic with the whole exchange, so that a failed test shows the request and the response.
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

    /// The answer, after the checks that every response must pass; a whole service's responses must pass more.
    ///
    /// # Panics
    /// When a check fails: a missing header, a malformed problem document, or a leak of internals.
    #[track_caller]
    pub(crate) fn check(self, secrets: &[String], whole_service: bool) -> Self {
        let identified = self.header("x-request-id").is_some_and(|id| !id.is_empty());
        assert!(identified || !whole_service, "the answer has no X-Request-Id\n{self}");
        let secure = |name: &str, value: &str| self.header(name).is_some_and(|given| given.starts_with(value));
        let is_secure = secure("x-content-type-options", "nosniff")
            && secure("content-security-policy", "default-src 'none'")
            && secure("referrer-policy", "no-referrer");
        assert!(is_secure || !whole_service, "the answer lacks a security header\n{self}");
        // A program's own routes may return errors in any form.
        let is_ours = whole_service || self.status() < 400 || !self.body.is_empty();
        if let Err(fault) = self.check_contract(secrets)
            && is_ours
        {
            panic!("the answer {fault}\n{self}");
        }
        self
    }

    /// Checks that the OpenAPI document declares this response for this request.
    #[track_caller]
    pub(crate) fn check_documented(&self, openapi: &OpenApi, method: &str, target: &str) {
        let code = self.json.as_ref().and_then(|json| json["code"].as_str());
        if let Err(fault) = openapi.check(method, target, self.status(), self.header("content-type"), code) {
            panic!("the answer {fault}\n{self}");
        }
    }

    fn check_contract(&self, secrets: &[String]) -> Result<(), String> {
        if self.body_is_forbidden() {
            return if self.body.is_empty() {
                Ok(())
            } else {
                Err("has a body, which its method or status forbids".to_owned())
            };
        }
        if self.status.as_u16() < 400 {
            return self.check_success();
        }
        let text = format!("{:?} {}", self.headers, self.text());
        if let Some(leak) = leaks::find(&text, secrets) {
            return Err(format!("leaks `{leak}`"));
        }
        self.check_problem()
    }

    fn check_success(&self) -> Result<(), String> {
        if self.header("content-type") == Some("application/problem+json") {
            return Err("is a problem document with a success status".to_owned());
        }
        if is_json(&self.headers) && self.json.is_none() {
            return Err("has a JSON media type, but its body is not JSON".to_owned());
        }
        Ok(())
    }

    fn check_problem(&self) -> Result<(), String> {
        if self.header("content-type") != Some("application/problem+json") {
            return Err("is an error without the media type of a problem document".to_owned());
        }
        let document = self.json.as_ref().ok_or("is not JSON")?;
        let problem = Problem::parse(self.status.as_u16(), document)?;
        if problem.code == "internal" && document["request_id"].as_str() != self.header("x-request-id") {
            return Err("has a request_id that differs from X-Request-Id".to_owned());
        }
        match self.status.as_u16() {
            405 if self.header("allow").is_none() => Err("is 405 without Allow".to_owned()),
            401 if !self.header("www-authenticate").is_some_and(|value| value.contains(" realm=\"api\"")) => {
                Err("is 401 without WWW-Authenticate".to_owned())
            }
            429 | 503 if self.header("retry-after").is_none() => Err("is 429 or 503 without Retry-After".to_owned()),
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
    /// When it has another status.
    #[allow(clippy::return_self_not_must_use, reason = "a test may check nothing but the status")]
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status(), status, "wrong status\n{self}");
        self
    }

    /// The JSON of a 200.
    ///
    /// # Panics
    /// When the status is not 200 or the body is not JSON.
    #[track_caller]
    pub fn ok(self) -> Value {
        self.expect(200).into_json()
    }

    /// The JSON of a 201.
    ///
    /// # Panics
    /// When the status is not 201 or the body is not JSON.
    #[track_caller]
    pub fn created(self) -> Value {
        self.expect(201).into_json()
    }

    /// The problem document, if it has this code.
    ///
    /// # Panics
    /// When it has another code, or the answer is not a problem document.
    #[track_caller]
    pub fn problem(self, code: &str) -> Problem {
        assert!(self.status() >= 400, "expected the problem `{code}`, found a success\n{self}");
        let problem = Problem::parse(self.status(), self.json()).expect("a well-formed problem");
        assert_eq!(problem.code, code, "wrong code\n{self}");
        problem
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When it is not JSON.
    #[track_caller]
    pub fn json(&self) -> &Value {
        self.json.as_ref().unwrap_or_else(|| panic!("the body is not JSON\n{self}"))
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When it is not JSON.
    #[track_caller]
    pub fn into_json(self) -> Value {
        self.json().clone()
    }

    /// The body's bytes.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header's value; the first of several.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(HeaderValue::to_str).and_then(Result::ok)
    }

    /// The values of a header.
    pub fn headers(&self, name: &str) -> Vec<&str> {
        self.headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect()
    }

    /// The value of a required header.
    ///
    /// # Panics
    /// When the header is missing.
    #[track_caller]
    pub fn require(&self, name: &str) -> &str {
        self.header(name).unwrap_or_else(|| panic!("the header `{name}` is missing\n{self}"))
    }

    /// The required `ETag`.
    ///
    /// # Panics
    /// When it is missing.
    #[track_caller]
    pub fn etag(&self) -> String {
        self.require("etag").to_owned()
    }

    /// The methods of `Allow`, sorted.
    ///
    /// # Panics
    /// When `Allow` is missing.
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
