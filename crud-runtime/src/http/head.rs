//! [`Head`]: the head of a request, borrowed.

use axum::extract::OriginalUri;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};

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
        // A request for a nested router's `/` has no slash at its end.
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

/// Copies a head. The original shares the read buffer of its connection, and keeps that buffer in memory.
pub(crate) fn detached(mut head: Parts) -> Parts {
    let copied = |uri: &Uri| uri.to_string().parse::<Uri>().unwrap_or_default();
    head.uri = copied(&head.uri);
    if let Some(OriginalUri(uri)) = head.extensions.get_mut() {
        *uri = copied(uri);
    }
    let mut headers = HeaderMap::with_capacity(head.headers.keys_len());
    for (name, value) in &head.headers {
        let (name, copy) = (HeaderName::from_bytes(name.as_ref()), HeaderValue::from_bytes(value.as_bytes()));
        if let (Ok(name), Ok(mut copy)) = (name, copy) {
            copy.set_sensitive(value.is_sensitive());
            headers.append(name, copy);
        }
    }
    head.headers = headers;
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detached_head_has_every_header_and_the_targets() {
        let uri = "/cards/events?after=4711";
        let request = Request::get(uri).header("x-own", "1").header("cookie", "a=1").header("cookie", "b=2");
        let (mut head, ()) = request.body(()).expect("a request").into_parts();
        head.extensions.insert(OriginalUri(Uri::from_static("/api/cards/events?after=4711")));
        let detached = detached(head.clone());
        assert_eq!((&detached.headers, &detached.uri, detached.method), (&head.headers, &head.uri, head.method));
        assert_eq!(detached.extensions.get::<OriginalUri>().expect("a target").path(), "/api/cards/events");
    }
}
