//! [`TestAnswer`]: the answer of a service under test.

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;

/// The answer of a service under test. Its checks panic with the whole answer.
#[derive(Debug, Clone)]
pub struct TestAnswer {
    /// Method and path of the request.
    pub(super) name: String,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl TestAnswer {
    /// The status, such as 201.
    pub fn status(&self) -> u16 {
        self.status.as_u16()
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// A header's value, if it is there and text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The body.
    pub fn bytes(&self) -> &[u8] {
        &self.body
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When the body is not JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{}: {error}", self.described()))
    }

    /// Checks the status of the answer, and returns it.
    ///
    /// # Panics
    /// When the answer has another status.
    #[track_caller]
    #[allow(clippy::return_self_not_must_use)] // It is called for the check.
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status(), status, "{}", self.described());
        self
    }

    /// The document of a problem with this [code](crate::error::Code).
    ///
    /// # Panics
    /// When the answer is another one.
    #[track_caller]
    pub fn problem(&self, code: &str) -> Value {
        let document: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        assert_eq!(document["code"], code, "{}", self.described());
        document
    }

    fn described(&self) -> String {
        format!("{}: {} {}", self.name, self.status, self.text())
    }
}
