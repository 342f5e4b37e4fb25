//! [`Head`]: the head of a request, borrowed.

use axum::extract::OriginalUri;
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

impl<'r> Head<'r> {
    /// The path that the client requested, mount included.
    pub(crate) fn original_path(self) -> &'r str {
        self.extensions.get::<OriginalUri>().map_or(self.uri.path(), |uri| uri.path())
    }

    /// The path that the service is mounted under: the prefix that outer routers stripped.
    pub(crate) fn mount(self) -> &'r str {
        let (original, inner) = (self.original_path(), self.uri.path());
        // A nested router's `/` is requested without its slash.
        original.strip_suffix(inner).unwrap_or(if inner == "/" { original } else { "" })
    }
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
