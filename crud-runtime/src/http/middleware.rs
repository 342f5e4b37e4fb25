//! The middleware of every request: a request id, one log line, security headers, and a response when a handler panics.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use uuid::Uuid;

use super::request_id;
use crate::model::problem::Problem;

static X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What the OWASP REST Security Cheat Sheet asks of every response of an API.
const SECURITY_HEADERS: [(HeaderName, HeaderValue); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
];

/// Assigns the request id, logs the request, and turns a panic into a problem document.
pub(crate) async fn trace_request(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id_of(&request);
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = request_id::scope(id.clone(), catch_panic(request, next)).await;
    add_security_headers(response.headers_mut());
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(&X_REQUEST_ID, value);
    }
    tracing::info!(
        %id,
        %method,
        route = %route.as_ref().map_or("-", MatchedPath::as_str),
        status = response.status().as_u16(),
        us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
        "request"
    );
    response
}

/// Adds the headers that keep a browser from treating a response as a page, a script or a frame, unless the response has
/// its own.
fn add_security_headers(headers: &mut HeaderMap) {
    for (name, value) in SECURITY_HEADERS {
        headers.entry(name).or_insert(value);
    }
}

/// Turns a panic into a problem document.
pub(crate) async fn catch_panic(request: Request, next: Next) -> Response {
    // Unwind safe: whatever a panicking handler leaves behind is dropped with its future.
    let response = std::panic::AssertUnwindSafe(next.run(request)).catch_unwind().await;
    response.unwrap_or_else(|panic| Problem::internal(panic_text(&*panic)).into_response())
}

/// The client's `X-Request-Id` if it is safe in a log line, or a new UUID of version 7.
fn request_id_of(request: &Request) -> Arc<str> {
    let given = request.headers().get(&X_REQUEST_ID).and_then(|value| value.to_str().ok()).filter(|id| {
        (1..=128).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
    });
    match given {
        Some(id) => id.into(),
        None => Uuid::now_v7().as_hyphenated().encode_lower(&mut Uuid::encode_buffer()).to_owned().into(),
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a handler panicked: {}", text.unwrap_or("without a message"))
}
