//! The middleware of every request: a request id, one log line, security headers, and a response when a handler panics.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use tracing::{Instrument, Span};

use super::caller::{self, Subject};
use super::{login_link, request_id};
use crate::http::head::Head;
use crate::http::state::ServiceState;
use crate::model::problem::Problem;

static X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Headers that the OWASP REST Security Cheat Sheet requires in every response of an API.
const SECURITY_HEADERS: [(HeaderName, HeaderValue); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
];

/// Target of the line and the span of a request, which filters of the log name.
const TARGET: &str = "crud_runtime::request";

/// A program's hook for the span of a request, called before the request begins.
pub(crate) type SpanHook = Arc<dyn Fn(&Span, &HeaderMap) + Send + Sync>;

/// Assigns the request id, logs the request, and turns a panic into a problem document.
pub(crate) async fn trace_request<F: Future<Output = Response>>(
    state: &ServiceState,
    hook: Option<&SpanHook>,
    request: Request,
    respond: impl FnOnce(Request) -> F,
) -> Response {
    let started = Instant::now();
    let id = request_id_of(&request);
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let trace = TraceParent::of(&request);
    let (address, subject) = (state.client_address(request.headers(), request.extensions()), Subject::default());
    let span = tracing::debug_span!(
        target: TARGET,
        "request",
        %id,
        %method,
        route = route.as_ref().map_or("-", MatchedPath::as_str),
        trace_id = trace.as_ref().map(TraceParent::trace_id),
        parent_id = trace.as_ref().map(TraceParent::parent_id),
    );
    if let Some(hook) = hook.filter(|_| !span.is_disabled()) {
        hook(&span, request.headers());
    }
    let login = state.parts().login.as_deref().map(|login| (Head::from(&request).mount().to_owned(), login));
    // Pinned: otherwise the futures around would move it, kilobytes each time.
    let handled = pin!(respond(request));
    let handled = request_id::scope(id.clone(), caller::scope(subject.clone(), caught(handled)));
    let mut response = if span.is_disabled() { handled.await } else { handled.instrument(span).await };
    if let Some((mount, login)) = login {
        login_link::add(&mut response, &mount, login);
    }
    if let Some(format) = &state.parts().problem_format {
        format.write(method == Method::HEAD, &mut response);
    }
    add_security_headers(response.headers_mut());
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(&X_REQUEST_ID, value);
    }
    /// The log line of a request. A macro, because a level has to be a constant.
    macro_rules! line {
        ($level:ident) => {
            tracing::$level!(
                target: TARGET,
                %id,
                %method,
                route = %route.as_ref().map_or("-", MatchedPath::as_str),
                status = response.status().as_u16(),
                us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
                // Quoted: the text comes from a client.
                principal = subject.get().map(|subject| &**subject),
                address = address.map(tracing::field::display),
                trace_id = trace.as_ref().map(TraceParent::trace_id),
                "request"
            )
        };
    }
    if response.status().is_server_error() {
        line!(warn);
    } else {
        line!(info);
    }
    response
}

/// The trace that a request is part of, by the header `traceparent` of the W3C's Trace Context, level 1: `00-<32
/// hexadecimal digits>-<16>-<2>`. Its flags are ignored: otherwise a client could have all of its requests sampled.
struct TraceParent(HeaderValue);

impl TraceParent {
    fn of(request: &Request) -> Option<Self> {
        let value = request.headers().get("traceparent")?;
        let text = value.to_str().ok()?;
        let mut parts = text.split('-');
        let is_hex = |part: &str, length: usize| {
            part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_id = |part: &str, length: usize| is_hex(part, length) && part.bytes().any(|byte| byte != b'0');
        let version = parts.next().filter(|version| is_hex(version, 2) && *version != "ff")?;
        let ids = is_id(parts.next()?, 32) && is_id(parts.next()?, 16) && is_hex(parts.next()?, 2);
        // A later version may have more parts.
        (ids && (version != "00" || parts.next().is_none())).then(|| Self(value.clone()))
    }

    fn trace_id(&self) -> &str {
        self.part(3..35)
    }

    fn parent_id(&self) -> &str {
        self.part(36..52)
    }

    fn part(&self, range: std::ops::Range<usize>) -> &str {
        self.0.to_str().ok().and_then(|text| text.get(range)).unwrap_or_default()
    }
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
    caught(pin!(next.run(request))).await
}

async fn caught(handled: Pin<&mut impl Future<Output = Response>>) -> Response {
    // Unwind safe: whatever a panicking handler leaves behind is dropped with its future.
    let response = std::panic::AssertUnwindSafe(handled).catch_unwind().await;
    response.unwrap_or_else(|panic| Problem::internal(panic_text(&*panic)).into_response())
}

/// The client's `X-Request-Id` if it is safe in a log line, or a new UUID of version 7.
fn request_id_of(request: &Request) -> Arc<str> {
    let given = request.headers().get(&X_REQUEST_ID).and_then(|value| value.to_str().ok()).filter(|id| {
        (1..=128).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
    });
    match given {
        Some(id) => id.into(),
        None => request_id::generate(),
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a handler panicked: {}", text.unwrap_or("without a message"))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn trace(value: &str) -> Option<(String, String)> {
        let request = Request::builder().header("traceparent", value).body(Body::empty()).unwrap();
        TraceParent::of(&request).map(|trace| (trace.trace_id().to_owned(), trace.parent_id().to_owned()))
    }

    #[test]
    fn trace_is_that_of_a_valid_traceparent() {
        let (trace_id, parent_id) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        let expected = Some((trace_id.to_owned(), parent_id.to_owned()));
        assert_eq!(trace(&format!("00-{trace_id}-{parent_id}-01")), expected);
        assert_eq!(trace(&format!("cc-{trace_id}-{parent_id}-01-what-comes")), expected);
        for invalid in [
            String::new(),
            format!("00-{trace_id}-{parent_id}"),
            format!("00-{trace_id}-{parent_id}-01-more"),
            format!("ff-{trace_id}-{parent_id}-01"),
            format!("00-{}-{parent_id}-01", "0".repeat(32)),
            format!("00-{trace_id}-{}-01", "0".repeat(16)),
            format!("00-{}-{parent_id}-01", trace_id.to_uppercase()),
            format!("00-{trace_id}-{parent_id}-1"),
        ] {
            assert_eq!(trace(&invalid), None, "{invalid}");
        }
    }
}
