//! Responses: the shared problems, the headers, the responses of one operation.
//!
//! An operation lists the codes of its problems by status. [`settle`] replaces each list by a reference to a response that
//! all operations with the same list share.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::reference;
use super::refusal::Refusals;
use super::wording::{sentence, words};
use crate::http::problem_format::ProblemFormat;
use crate::model::problem::Code;

/// The member of a response that is not settled: the codes of its problems.
const CODES: &str = "codes";

/// The status of all problems of the service's own.
const SERVER_ERROR: &str = "5XX";

/// The problems of every operation that uses the database.
const DATABASE: [Code; 3] = [Code::Internal, Code::Unavailable, Code::Timeout];

/// The problems of a query string, which each of these operations has: unknown parameters count too.
const QUERY: [Code; 2] = [Code::QueryTooLong, Code::QueryTooComplex];

/// The problems of every operation with a body.
pub(crate) const BODY: [Code; 5] =
    [Code::MalformedJson, Code::RequestTimeout, Code::BodyTooLarge, Code::UnsupportedMediaType, Code::ValidationFailed];

/// The problem codes of a service; those of authentication only with authentication.
pub(crate) fn codes(secured: bool) -> impl Iterator<Item = Code> {
    Code::ALL.into_iter().filter(move |code| secured || !Code::OF_AUTHENTICATION.contains(code))
}

/// The responses of an operation that uses the database: its own, these problems, and those of every query string and
/// every database operation.
pub(crate) fn with_database_problems(
    own: impl IntoIterator<Item = (StatusCode, Value)>,
    problems: &[Code],
) -> Map<String, Value> {
    with_problems(own, &[problems, &QUERY, &DATABASE].concat())
}

/// The responses of an operation: its own and these problems.
pub(crate) fn with_problems(
    own: impl IntoIterator<Item = (StatusCode, Value)>,
    problems: &[Code],
) -> Map<String, Value> {
    let own = own.into_iter().map(|(status, response)| (status.as_u16().to_string(), response));
    let mut responses = own.collect();
    add_problems(&mut responses, problems);
    responses
}

/// Adds problems to the responses of an operation.
pub(crate) fn add_problems(responses: &mut Map<String, Value>, problems: &[Code]) {
    for code in problems {
        let status = code.status();
        let key = if status.is_server_error() { SERVER_ERROR.to_owned() } else { status.as_u16().to_string() };
        let response = responses.entry(key).or_insert_with(|| json!({ CODES: [] }));
        if let Some(codes) = response[CODES].as_array_mut() {
            let code = code.as_str().into();
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
    }
    responses.sort_keys();
}

/// Replaces the lists of codes in all operations by references, and returns the responses that these are to, by name.
pub(crate) fn settle(
    paths: &mut Map<String, Value>,
    refusals: &Refusals<'_>,
    format: Option<&ProblemFormat>,
) -> BTreeMap<String, Value> {
    let mut components = BTreeMap::new();
    let operations = paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    let responses = operations.filter_map(|operation| operation.get_mut("responses")?.as_object_mut());
    for response in responses.flat_map(Map::values_mut) {
        let Some(listed) = response.get(CODES).and_then(Value::as_array) else { continue };
        // In the order of the table.
        let codes: Vec<Code> = Code::ALL.into_iter().filter(|code| listed.contains(&code.as_str().into())).collect();
        let name = component_key(&codes);
        components.entry(name.clone()).or_insert_with(|| problem_response(&codes, refusals, format));
        *response = reference("responses", &name);
    }
    components
}

/// The name of the response with these codes, such as `ConflictOrReferenceNotFound`.
fn component_key(codes: &[Code]) -> String {
    let pascal = |code: &Code| words(code.as_str()).split(' ').map(sentence).collect::<String>();
    codes.iter().map(pascal).collect::<Vec<_>>().join("Or")
}

/// A response with a JSON body.
pub(crate) fn json_body(description: &str, schema: &Value, headers: &[&str]) -> Value {
    let mut response = empty(description, headers);
    response["content"] = json!({ "application/json": { "schema": schema } });
    response
}

/// A response without a body.
pub(crate) fn empty(description: &str, headers: &[&str]) -> Value {
    let headers = headers.iter().chain(&["X-Request-Id"]);
    let headers: Map<_, _> = headers.map(|&name| (name.to_owned(), reference("headers", name))).collect();
    json!({ "description": description, "headers": headers })
}

/// The response headers by name.
pub(crate) fn headers(secured: bool) -> Map<String, Value> {
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

/// The response with one of these codes, which have one status or are all of the service's own.
fn problem_response(codes: &[Code], refusals: &Refusals<'_>, format: Option<&ProblemFormat>) -> Value {
    let names: Vec<_> = codes.iter().map(|code| format!("`{}`", code.as_str())).collect();
    let title = if codes[0].status().is_server_error() { "Server Error" } else { codes[0].title() };
    let retries = [Code::Unavailable, Code::TooManyRequests, Code::IdempotencyInFlight];
    let mut headers = Vec::new();
    if codes.iter().any(|code| retries.contains(code)) {
        headers.push("Retry-After");
    }
    if codes.iter().any(|code| code.challenge().is_some()) {
        headers.push("WWW-Authenticate");
    }
    let mut response = empty(&format!("{title}: {}", names.join(" or ")), &headers);
    response["content"] = match format {
        Some(format) => json!({ format.media_type: { "schema": format.schema } }),
        None => {
            let example = |code: &Code| (code.as_str().to_owned(), json!({ "value": refusals.example(*code) }));
            let examples: Map<_, _> = codes.iter().map(example).collect();
            json!({ "application/problem+json": { "schema": reference("schemas", "Problem"), "examples": examples } })
        }
    };
    response
}
