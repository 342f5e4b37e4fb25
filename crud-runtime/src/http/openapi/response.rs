//! The answers: the problems that operations share, the headers, the answers of one operation.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::reference;
use crate::model::problem::Code;

/// What can go wrong with any operation that asks the database.
const ALWAYS: [Code; 3] = [Code::Internal, Code::Unavailable, Code::Timeout];

/// What can go wrong with a body.
pub(super) const BODY: [Code; 5] =
    [Code::MalformedJson, Code::RequestTimeout, Code::BodyTooLarge, Code::UnsupportedMediaType, Code::ValidationFailed];

/// The shared answers, by name: one for each status of a problem that an operation can answer with.
pub(super) fn components(secured: bool) -> Map<String, Value> {
    // An operation exists, so its method is allowed.
    let codes = codes(secured).filter(|&code| code != Code::MethodNotAllowed);
    by_status(codes).into_values().map(|codes| (key(codes[0]), problem(&codes))).collect()
}

/// The codes of a service's problems; those of authentication, if it has that.
pub(super) fn codes(secured: bool) -> impl Iterator<Item = Code> {
    Code::ALL.into_iter().filter(move |code| secured || !Code::OF_AUTHENTICATION.contains(code))
}

/// The answers of an operation that asks the database: its own, and these problems.
pub(super) fn all(own: impl IntoIterator<Item = (StatusCode, Value)>, problems: &[Code]) -> Map<String, Value> {
    some(own, &[problems, &ALWAYS].concat())
}

/// The answers of an operation: its own, and these problems.
pub(super) fn some(own: impl IntoIterator<Item = (StatusCode, Value)>, problems: &[Code]) -> Map<String, Value> {
    let own = own.into_iter().map(|(status, answer)| (status.as_u16(), answer));
    let problems = problems.iter().map(|&code| (code.status().as_u16(), reference("responses", &key(code))));
    let sorted: BTreeMap<u16, Value> = own.chain(problems).collect();
    sorted.into_iter().map(|(status, answer)| (status.to_string(), answer)).collect()
}

/// An answer with a JSON body.
pub(super) fn json_body(description: &str, schema: &Value, headers: &[&str]) -> Value {
    let mut answer = empty(description, headers);
    answer["content"] = json!({ "application/json": { "schema": schema } });
    answer
}

/// An answer without a body.
pub(super) fn empty(description: &str, headers: &[&str]) -> Value {
    let headers = headers.iter().chain(&["X-Request-Id"]);
    let headers: Map<_, _> = headers.map(|&name| (name.to_owned(), reference("headers", name))).collect();
    json!({ "description": description, "headers": headers })
}

/// The headers of answers, by name.
pub(super) fn headers(secured: bool) -> Map<String, Value> {
    let headers = [
        (
            "Content-Range",
            "Which records these are, and of how many: `products 20-39/1234`.",
            json!({ "type": "string" }),
        ),
        ("ETag", "The entity tag of the record's version.", json!({ "type": "string" })),
        ("Location", "The path of the record.", json!({ "type": "string", "format": "uri-reference" })),
        ("Preference-Applied", "The preferences that were followed (RFC 7240).", json!({ "type": "string" })),
        ("Retry-After", "After how many seconds to try again.", json!({ "type": "integer", "minimum": 0 })),
        ("WWW-Authenticate", "What the request lacked (RFC 6750).", json!({ "type": "string" })),
        ("X-Request-Id", "The id of the request, which the service's log has too.", json!({ "type": "string" })),
        ("X-Total-Count", "How many records match.", json!({ "type": "integer", "minimum": 0 })),
    ];
    headers
        .into_iter()
        .filter(|(name, ..)| secured || *name != "WWW-Authenticate")
        .map(|(name, description, schema)| (name.to_owned(), json!({ "description": description, "schema": schema })))
        .collect()
}

/// The answer of a status.
fn problem(codes: &[Code]) -> Value {
    let names: Vec<_> = codes.iter().map(|code| format!("`{}`", code.as_str())).collect();
    let examples: Map<_, _> =
        codes.iter().map(|&code| (code.as_str().to_owned(), json!({ "value": example(code) }))).collect();
    let headers: &[&str] = match codes[0] {
        Code::Unavailable | Code::TooManyRequests => &["Retry-After"],
        Code::AuthenticationFailed | Code::PermissionDenied => &["WWW-Authenticate"],
        _ => &[],
    };
    let mut answer = empty(&format!("{}: {}", codes[0].title(), names.join(" or ")), headers);
    answer["content"] = json!({
        "application/problem+json": {
            "schema": reference("schemas", "Problem"),
            "examples": examples,
        },
    });
    answer
}

fn example(code: Code) -> Value {
    let mut example = json!({
        "type": "about:blank",
        "title": code.title(),
        "status": code.status().as_u16(),
        "code": code.as_str(),
        "detail": detail(code),
    });
    if code == Code::ValidationFailed {
        example["errors"] = json!([{ "pointer": "/price", "code": "type", "detail": "must be a number" }]);
    }
    example
}

fn detail(code: Code) -> &'static str {
    match code {
        Code::MalformedJson => "expected `,` or `}` at line 1 column 17",
        Code::UnsupportedMediaType => "the body must be application/json",
        Code::BodyTooLarge => "the body must not be larger than 2 MiB",
        Code::ValidationFailed => "price: must be a number",
        Code::NotFound => "Product with id 7 not found",
        Code::RouteNotFound => "there is no such route",
        Code::MethodNotAllowed => "the route does not have this method",
        Code::Conflict => "name: is taken by another record",
        Code::ReferenceNotFound => "category_id: refers to no record",
        Code::Referenced => "other records refer to this one",
        Code::NotDeleted => "Product with id 7 is not deleted",
        Code::BatchTooLarge => "items: has 1001 items, but may have 1000",
        Code::HistoryIncomplete => "the audit log does not tell what Product with id 7 was then",
        Code::ConstraintFailed => "price: is refused by the database",
        Code::UnsupportedHere => "the storage of this service does not support atomic changes of several records",
        Code::PreconditionFailed => "the record is no longer the version that If-Match names",
        Code::Unavailable => "the service is busy; try again later",
        Code::RequestTimeout => "the request came too slowly",
        Code::Timeout => "the request took too long",
        Code::AuthenticationFailed => "authentication failed",
        Code::InvalidToken => "invalid token",
        Code::TokenExpired => "token expired",
        Code::InvalidCredentials => "invalid credentials",
        Code::RefreshFailed => "the refresh token was used before",
        Code::PermissionDenied => "permission denied",
        Code::TooManyRequests => "too many attempts; try again later",
        Code::Internal => "internal error",
    }
}

/// The status's name as a key, such as `NotFound`.
fn key(code: Code) -> String {
    code.title().split_whitespace().collect()
}

fn by_status(codes: impl IntoIterator<Item = Code>) -> BTreeMap<u16, Vec<Code>> {
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in codes {
        by_status.entry(code.status().as_u16()).or_default().push(code);
    }
    by_status
}
