//! Redirects from the prefixes that a resource had.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::frame::mount;

/// The redirect of a request below an old prefix to the same path below the new one, with the same method, body and query.
pub(crate) fn redirect(old: &str, new: &Arc<str>, request: &Request) -> Response {
    let uri = request.uri();
    let rest = uri.path().strip_prefix(old).unwrap_or_default();
    let query = uri.query().map_or_else(String::new, |query| format!("?{query}"));
    let location = format!("{}{new}{rest}{query}", mount(request));
    let mut response = StatusCode::PERMANENT_REDIRECT.into_response();
    if let Ok(location) = HeaderValue::try_from(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}
