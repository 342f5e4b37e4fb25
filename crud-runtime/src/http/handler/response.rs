//! Responses.

use axum::body::{Body, HttpBody};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::http::param::header::etag::{self, EtagCondition};
use crate::http::param::header::prefer::Prefer;

/// The media type of records and lists.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A JSON response.
pub(crate) fn json(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = (status, body.into()).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response
}

/// The response with a record and its entity tag.
pub(crate) fn record(status: StatusCode, json_text: Vec<u8>) -> Response {
    let tag = etag::entity_tag(&json_text);
    let mut response = json(status, json_text);
    response.headers_mut().insert(header::ETAG, tag);
    response
}

/// The response, or 304 where the client has its version (`If-None-Match`).
pub(crate) fn unless_current(request: &HeaderMap, response: Response) -> Response {
    let condition = EtagCondition::if_none_match(request);
    let is_current = |tag: &&HeaderValue| condition.is_some_and(|condition| condition.matches_weakly(tag));
    let Some(tag) = response.headers().get(header::ETAG).filter(is_current).cloned() else { return response };
    let mut unchanged = StatusCode::NOT_MODIFIED.into_response();
    unchanged.headers_mut().insert(header::ETAG, tag);
    unchanged
}

/// The response to a change with these request headers: with `return=minimal`, this status and no body.
pub(crate) fn of_change(request: &HeaderMap, status: StatusCode, full: Response) -> Response {
    if !Prefer::parse(request).minimal {
        return full;
    }
    let (mut parts, _) = full.into_parts();
    parts.status = status;
    parts.headers.remove(header::CONTENT_TYPE);
    Prefer::applied(&mut parts.headers, "return=minimal");
    Response::from_parts(parts, Body::empty())
}

/// The response to `HEAD`: the headers of `GET`, with the length of its body.
pub(crate) fn without_body(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    if let Some(length) = body.size_hint().exact().filter(|_| parts.status != StatusCode::NOT_MODIFIED) {
        parts.headers.insert(header::CONTENT_LENGTH, length.into());
    }
    Response::from_parts(parts, Body::empty())
}
