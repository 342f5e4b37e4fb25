//! [`Head`]: the head of a request, borrowed.

use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, Method, Request, Uri};

use crate::auth::AuthParts;

/// The head of a request.
#[derive(Clone, Copy)]
pub(crate) struct Head<'r> {
    pub(crate) method: &'r Method,
    pub(crate) uri: &'r Uri,
    pub(crate) headers: &'r HeaderMap,
    pub(crate) extensions: &'r Extensions,
}

impl<'r> From<&'r Parts> for Head<'r> {
    fn from(parts: &'r Parts) -> Self {
        Self { method: &parts.method, uri: &parts.uri, headers: &parts.headers, extensions: &parts.extensions }
    }
}

impl<'r, B> From<&'r Request<B>> for Head<'r> {
    fn from(request: &'r Request<B>) -> Self {
        Self {
            method: request.method(),
            uri: request.uri(),
            headers: request.headers(),
            extensions: request.extensions(),
        }
    }
}

impl From<Head<'_>> for AuthParts {
    fn from(head: Head<'_>) -> Self {
        let (mut parts, ()) = Request::new(()).into_parts();
        parts.method = head.method.clone();
        parts.uri = head.uri.clone();
        parts.headers = head.headers.clone();
        parts.extensions = head.extensions.clone();
        Self::new(parts)
    }
}
