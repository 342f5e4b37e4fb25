//! Responses: the shared problems, the headers, the responses of one operation.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::reference;
use crate::http::problem_format::ProblemFormat;
use crate::model::problem::Code;

/// The problems of every operation that uses the database.
const DATABASE: [Code; 3] = [Code::Internal, Code::Unavailable, Code::Timeout];

/// The problems of a query string, which each of these operations has: unknown parameters count too.
const QUERY: [Code; 2] = [Code::QueryTooLong, Code::QueryTooComplex];

/// The problems of every operation with a body.
pub(super) const BODY: [Code; 5] =
    [Code::MalformedJson, Code::RequestTimeout, Code::BodyTooLarge, Code::UnsupportedMediaType, Code::ValidationFailed];

/// The shared responses by name: one for each status of a problem.
pub(super) fn components(secured: bool, format: Option<&ProblemFormat>) -> Map<String, Value> {
    // A documented operation's method is allowed.
    let codes = codes(secured).filter(|&code| code != Code::MethodNotAllowed);
    by_status(codes).into_values().map(|codes| (component_key(codes[0]), problem_response(&codes, format))).collect()
}

/// The problem codes of a service; those of authentication only with authentication.
pub(super) fn codes(secured: bool) -> impl Iterator<Item = Code> {
    Code::ALL.into_iter().filter(move |code| secured || !Code::OF_AUTHENTICATION.contains(code))
}

/// The responses of an operation that uses the database: its own, these problems, and those of every query string and
/// every database operation.
pub(super) fn with_database_problems(
    own: impl IntoIterator<Item = (StatusCode, Value)>,
    problems: &[Code],
) -> Map<String, Value> {
    with_problems(own, &[problems, &QUERY, &DATABASE].concat())
}

/// The responses of an operation: its own and these problems.
pub(super) fn with_problems(
    own: impl IntoIterator<Item = (StatusCode, Value)>,
    problems: &[Code],
) -> Map<String, Value> {
    let own = own.into_iter().map(|(status, response)| (status.as_u16(), response));
    let problems = problems.iter().map(|&code| (code.status().as_u16(), reference("responses", &component_key(code))));
    let sorted: BTreeMap<u16, Value> = own.chain(problems).collect();
    sorted.into_iter().map(|(status, response)| (status.to_string(), response)).collect()
}

/// A response with a JSON body.
pub(super) fn json_body(description: &str, schema: &Value, headers: &[&str]) -> Value {
    let mut response = empty(description, headers);
    response["content"] = json!({ "application/json": { "schema": schema } });
    response
}

/// A response without a body.
pub(super) fn empty(description: &str, headers: &[&str]) -> Value {
    let headers = headers.iter().chain(&["X-Request-Id"]);
    let headers: Map<_, _> = headers.map(|&name| (name.to_owned(), reference("headers", name))).collect();
    json!({ "description": description, "headers": headers })
}

/// The response headers by name.
pub(super) fn headers(secured: bool) -> Map<String, Value> {
    let headers = [
        (
            "Content-Range",
            "The range of the records and the exact total: `products 20-39/1234`, or `products 20-39/*` without one.",
            json!({ "type": "string" }),
        ),
        ("ETag", "The entity tag of the record's version.", json!({ "type": "string" })),
        ("Location", "The path of the record.", json!({ "type": "string", "format": "uri-reference" })),
        ("Preference-Applied", "The preferences that were followed (RFC 7240).", json!({ "type": "string" })),
        ("Retry-After", "The number of seconds to wait before a retry.", json!({ "type": "integer", "minimum": 0 })),
        ("WWW-Authenticate", "The authentication challenge (RFC 6750).", json!({ "type": "string" })),
        ("X-Request-Id", "The id of the request, as in the service's log.", json!({ "type": "string" })),
        ("Link", "The next and the previous page (RFC 8288).", json!({ "type": "string" })),
        ("X-Total-Count", "The exact number of matching records.", json!({ "type": "integer", "minimum": 0 })),
    ];
    headers
        .into_iter()
        .filter(|(name, ..)| secured || *name != "WWW-Authenticate")
        .map(|(name, description, schema)| (name.to_owned(), json!({ "description": description, "schema": schema })))
        .collect()
}

/// The response of a status, shared by these codes.
fn problem_response(codes: &[Code], format: Option<&ProblemFormat>) -> Value {
    let names: Vec<_> = codes.iter().map(|code| format!("`{}`", code.as_str())).collect();
    let examples: Map<_, _> =
        codes.iter().map(|&code| (code.as_str().to_owned(), json!({ "value": example(code) }))).collect();
    let headers: &[&str] = match codes[0] {
        Code::Unavailable | Code::TooManyRequests => &["Retry-After"],
        _ if codes.contains(&Code::IdempotencyInFlight) => &["Retry-After"],
        Code::AuthenticationFailed | Code::PermissionDenied | Code::TenantRequired => &["WWW-Authenticate"],
        _ => &[],
    };
    let mut response = empty(&format!("{}: {}", codes[0].title(), names.join(" or ")), headers);
    response["content"] = match format {
        Some(format) => json!({ format.media_type: { "schema": format.schema } }),
        None => json!({
            "application/problem+json": { "schema": reference("schemas", "Problem"), "examples": examples },
        }),
    };
    response
}

fn example(code: Code) -> Value {
    let mut example = json!({
        "type": "about:blank",
        "title": code.title(),
        "status": code.status().as_u16(),
        "code": code.as_str(),
        "detail": example_detail(code),
    });
    if code == Code::ValidationFailed {
        example["errors"] = json!([{ "pointer": "/price", "code": "type", "detail": "must be a number" }]);
    }
    example
}

fn example_detail(code: Code) -> &'static str {
    match code {
        Code::MalformedRequest => "the request must have one `Host` header, found 2",
        Code::HeadTooLarge => "the head must have at most 32768 bytes",
        Code::MalformedJson => "expected `,` or `}` at line 1 column 17",
        Code::UnsupportedMediaType => "the body must be application/json",
        Code::BodyTooLarge => "the body must have at most 2097152 bytes",
        Code::QueryTooLong => "the query string must have at most 8192 bytes",
        Code::QueryTooComplex => "the query string must have at most 200 parameters",
        Code::CursorInvalid => {
            "cursor: is not a cursor of this list: take one from its pages, with the same order and filters"
        }
        Code::ValidationFailed => "price: must be a number",
        Code::NotFound => "Product with id 7 not found",
        Code::RouteNotFound => "there is no route GET /basket",
        Code::MethodNotAllowed => "DELETE is not allowed on this route; allowed methods are GET, HEAD, OPTIONS",
        Code::UnsupportedHere => "the storage of this service does not support atomic changes of several records",
        Code::Conflict => "name: is taken by another record",
        Code::ReferenceNotFound => "category_id: refers to a record that does not exist",
        Code::Referenced => "other records refer to this one",
        Code::NotDeleted => "Product with id 7 is not deleted",
        Code::IllegalTransition => "status: cannot change from `draft` to `archived`",
        Code::IdempotencyKeyRequired => "a request for this operation needs the header Idempotency-Key",
        Code::IdempotencyKeyReused => {
            "the Idempotency-Key was sent with another request: a new request needs a new key"
        }
        Code::IdempotencyInFlight => "the first request with this Idempotency-Key has not ended; try again later",
        Code::BatchTooLarge => "items: must have at most 1000 items, found 1001",
        Code::HistoryIncomplete => "the audit log does not cover Product with id 7 at that time",
        Code::ConstraintFailed => "price: is refused by the database",
        Code::PreconditionFailed => "the record's entity tag does not match If-Match",
        Code::Unavailable => "the service is busy; try again later",
        Code::RequestTimeout => "the body arrives too slowly",
        Code::Timeout => "the request took too long",
        Code::AuthenticationFailed => "authentication failed",
        Code::InvalidToken => "invalid token",
        Code::TokenExpired => "token expired",
        Code::InvalidCredentials => "invalid credentials",
        Code::RefreshFailed => "the refresh token was already used",
        Code::PermissionDenied => "permission denied",
        Code::TenantRequired => "the token names no tenant",
        Code::TooManyRequests => "too many attempts; try again later",
        Code::Internal => "internal error",
    }
}

/// The status's phrase as a component key, such as `NotFound`.
fn component_key(code: Code) -> String {
    code.title().split_whitespace().collect()
}

fn by_status(codes: impl IntoIterator<Item = Code>) -> BTreeMap<u16, Vec<Code>> {
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in codes {
        by_status.entry(code.status().as_u16()).or_default().push(code);
    }
    by_status
}
