//! The path that a service is mounted under.

use axum::extract::{OriginalUri, Request};

/// The path that the router is mounted under: the prefix that outer routers stripped.
pub(crate) fn mount(request: &Request) -> &str {
    let original = request.extensions().get::<OriginalUri>().map_or(request.uri().path(), |uri| uri.path());
    // A nested router's `/` is requested without its slash.
    let inner = request.uri().path();
    original.strip_suffix(inner).unwrap_or(if inner == "/" { original } else { "" })
}
