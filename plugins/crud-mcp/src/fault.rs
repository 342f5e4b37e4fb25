//! [`Fault`]: errors of the protocol, with their codes.

use crud_runtime::axum::http::StatusCode;
use serde_json::{Value as Json, json};

/// An error of JSON-RPC, with the HTTP status that the newest revision gives it.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) code: i32,
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    pub(crate) data: Option<Json>,
}

impl Fault {
    fn new(code: i32, status: StatusCode, message: impl Into<String>) -> Self {
        Self { code, status, message: message.into(), data: None }
    }

    /// The body is not JSON.
    pub(crate) fn parse(message: impl Into<String>) -> Self {
        Self::new(-32700, StatusCode::BAD_REQUEST, message)
    }

    /// The body is not a request.
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self::new(-32600, StatusCode::BAD_REQUEST, message)
    }

    /// The endpoint has no such method.
    pub(crate) fn method(name: &str) -> Self {
        let message = format!("no method `{name}`: expected `server/discover`, `tools/list` or `tools/call`");
        Self::new(-32601, StatusCode::NOT_FOUND, message)
    }

    /// Parameters of a method that are wrong.
    pub(crate) fn parameters(message: impl Into<String>) -> Self {
        Self::new(-32602, StatusCode::OK, message)
    }

    /// Required metadata that the request does not have.
    pub(crate) fn metadata(message: impl Into<String>) -> Self {
        Self::new(-32602, StatusCode::BAD_REQUEST, message)
    }

    /// A header that differs from the body.
    pub(crate) fn header(message: impl Into<String>) -> Self {
        Self::new(-32020, StatusCode::BAD_REQUEST, message)
    }

    /// A revision of the protocol that is not supported.
    pub(crate) fn revision(requested: &str, supported: &[&str]) -> Self {
        let message = format!("the revision `{requested}` is not supported: expected `{}`", supported.join("`, `"));
        let data = json!({ "supported": supported, "requested": requested });
        Self { data: Some(data), ..Self::new(-32022, StatusCode::BAD_REQUEST, message) }
    }

    /// A web page that may not call the endpoint.
    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(-32600, StatusCode::FORBIDDEN, message)
    }

    /// A body of another type than JSON.
    pub(crate) fn media_type() -> Self {
        let message = "expected a body of `Content-Type: application/json`";
        Self::new(-32600, StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
    }
}
