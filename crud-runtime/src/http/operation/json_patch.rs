//! JSON Patch (RFC 6902): `PATCH {prefix}/{id}` with a list of operations on the record's JSON.
//!
//! The operations are applied to the record as the sender sees it. The changed members are updated like a merge patch,
//! on condition that the record is still the version that was read. So all rules of updates hold, and a `test` is a
//! guard.

use axum::http::header::{CONTENT_TYPE, IF_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method};
use axum::response::Response;
use bytes::Bytes;
use json_patch::jsonptr::Pointer;
use json_patch::{PatchErrorKind, PatchOperation};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::update;
use crate::http::body::malformed;
use crate::http::description::json_schema::Schema;
use crate::http::handler::ResourceRequest;
use crate::http::handler::body_reader::{JSON_PATCH, is_json};
use crate::http::param::header::etag::{self, EtagCondition};
use crate::model::key::Key;
use crate::model::problem::{Code, FieldError, Problem};
use crate::query::Scope;

/// Limit of operations in one patch.
const MAX_OPERATIONS: usize = 1_000;

/// Limit of levels of a patched record: without it, each copy into a copy would add a level.
const MAX_DEPTH: usize = 128;

/// Maximum number of attempts to apply the patch to a record that others change meanwhile.
const ATTEMPTS: usize = 8;

/// Whether a request has a JSON Patch.
pub(super) fn is_sent(parts: &Parts) -> bool {
    let is_patch = |value| is_json(value, &[JSON_PATCH]) && !is_json(value, &[]);
    parts.method == Method::PATCH && parts.headers.get(CONTENT_TYPE).is_some_and(is_patch)
}

/// The schema of a patch.
pub(super) fn schema() -> Schema {
    let path = |about: &str| Schema::text().about(about);
    let operation = Schema::object()
        .about("An operation on the record's JSON.")
        .member("op", Schema::choice(["add", "remove", "replace", "move", "copy", "test"]).about("What it does."))
        .member("path", path("The place, as a JSON Pointer (RFC 6901), such as `/name`."))
        .optional("from", path("The place that `move` and `copy` take the value from."))
        // Without a type: clients that are generated from a list of types do not compile.
        .optional("value", Schema::any().about("The value of `add`, `replace` and `test`."));
    let operations = Schema::array(Schema::named("PatchOperation", operation)).with("maxItems", MAX_OPERATIONS);
    Schema::named(
        "PatchOperations",
        operations.about("Operations that are applied in their order, all or none (RFC 6902)."),
    )
}

/// Applies the patch in the body to the record.
pub(super) async fn update(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let limit = request.state.limits().body;
    let body = request.json_body(limit).await?;
    let operations = parse(&body)?;
    let id = request.id().await?;
    let condition = EtagCondition::if_match(request.headers());
    let mut attempts = 0;
    loop {
        attempts += 1;
        let json = read(&request, &id).await?;
        let tag = etag::entity_tag(&json);
        if condition.as_ref().is_some_and(|condition| !condition.matches(&tag)) {
            return Err(Problem::of(Code::PreconditionFailed));
        }
        let before: Value = serde_json::from_slice(&json).map_err(Problem::internal)?;
        let after = apply(&operations, before.clone(), limit)?;
        let changes = changes(before, after)?;
        match update::merge(merging(&request, &changes, tag)).await {
            Err(problem) if problem.code() == Code::PreconditionFailed => {
                if attempts == ATTEMPTS {
                    let detail = "the record is changed by others all the time; try again later";
                    return Err(Problem::new(Code::Conflict, detail));
                }
            }
            answered => return answered,
        }
    }
}

/// The operations of a body.
///
/// # Errors
/// `malformed_json`; `validation_failed` for items that are not operations.
fn parse(body: &[u8]) -> Result<Vec<PatchOperation>, Problem> {
    let operations: Value = serde_json::from_slice(body).map_err(|error| malformed(&error))?;
    let Value::Array(operations) = operations else {
        return Err(Problem::validation([FieldError::pointer("", "type", "must be a list of operations")]));
    };
    if operations.len() > MAX_OPERATIONS {
        let detail = format!("must have at most {MAX_OPERATIONS} operations");
        return Err(Problem::validation([
            FieldError::pointer("", "too_many", detail).with_params([("max", MAX_OPERATIONS)])
        ]));
    }
    let parsed = operations.into_iter().enumerate().map(|(index, operation)| {
        PatchOperation::deserialize(operation).map_err(|error| of_operation(index, error.to_string()))
    });
    parsed.collect()
}

fn of_operation(index: usize, detail: impl Into<String>) -> Problem {
    Problem::validation([FieldError::pointer(format!("/{index}"), "value", detail)])
}

/// The record as the sender sees it.
///
/// # Errors
/// `not_found`.
async fn read(request: &ResourceRequest, id: &Key) -> Result<Vec<u8>, Problem> {
    let scope = if request.identity.sees_deleted { Scope::All } else { Scope::Active };
    let mut sink = request.sink();
    if !request.find(id, scope, &mut sink).await? {
        return Err(Problem::record_not_found(request.resource(), id));
    }
    Ok(sink.out)
}

/// The request, turned into a merge patch of the version with this entity tag.
fn merging(request: &ResourceRequest, changes: &Map<String, Value>, tag: HeaderValue) -> Box<ResourceRequest> {
    let body = serde_json::to_vec(changes).unwrap_or_default();
    let mut merging = request.with_body(Bytes::from(body));
    merging.parts.headers.insert(IF_MATCH, tag);
    merging.parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    merging
}

/// The record after all operations.
///
/// # Errors
/// `conflict` for a `test` that fails, `validation_failed` for a place that the record does not have, `body_too_large`.
fn apply(operations: &[PatchOperation], mut record: Value, limit: usize) -> Result<Value, Problem> {
    let mut copied = 0;
    for (index, operation) in operations.iter().enumerate() {
        if let PatchOperation::Test(test) = operation {
            let found = record.pointer(test.path.as_str());
            if !found.is_some_and(|found| is_equal(found, &test.value)) {
                let detail = format!("the record has another value at `{}`, which operation {index} tests", test.path);
                return Err(Problem::new(Code::Conflict, detail));
            }
            continue;
        }
        // A value that contains earlier copies doubles the record with each copy.
        if let PatchOperation::Copy(copy) = operation {
            copied += record.pointer(copy.from.as_str()).map_or(0, |value| value.to_string().len());
            if copied > limit {
                let detail = format!("the copies of a patch must have at most {limit} bytes");
                return Err(Problem::new(Code::BodyTooLarge, detail));
            }
        }
        if depth_after(operation, &record) > MAX_DEPTH {
            return Err(of_operation(index, format!("must leave at most {MAX_DEPTH} levels")));
        }
        json_patch::patch(&mut record, std::slice::from_ref(operation))
            .map_err(|error| of_operation(index, place(operation, &error.kind)))?;
    }
    Ok(record)
}

/// The reason why an operation cannot be applied.
fn place(operation: &PatchOperation, kind: &PatchErrorKind) -> String {
    match (kind, operation) {
        (PatchErrorKind::CannotMoveInsideItself, _) => "must not move a value into itself".to_owned(),
        (PatchErrorKind::InvalidFromPointer, PatchOperation::Move(of)) => missing(&of.from),
        (PatchErrorKind::InvalidFromPointer, PatchOperation::Copy(of)) => missing(&of.from),
        _ => missing(operation.path()),
    }
}

fn missing(path: &Pointer) -> String {
    format!("must name a place that the record has: `{path}` is none")
}

/// The depth of the record where an operation writes: the levels of the place, and those of the value.
fn depth_after(operation: &PatchOperation, record: &Value) -> usize {
    let of = |path: &Pointer| record.pointer(path.as_str()).map_or(0, depth);
    let written = match operation {
        PatchOperation::Add(add) => depth(&add.value),
        PatchOperation::Replace(replace) => depth(&replace.value),
        PatchOperation::Copy(copy) => of(&copy.from),
        PatchOperation::Move(moved) => of(&moved.from),
        PatchOperation::Remove(_) | PatchOperation::Test(_) => 0,
    };
    operation.path().count() + written
}

/// The levels of a value, which a body or a patched record limits.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Whether two values are equal: numbers by value, objects in any order of their members.
fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let is_in_other = |(name, value): (&String, &Value)| other.get(name).is_some_and(|it| is_equal(value, it));
            one.len() == other.len() && one.iter().all(is_in_other)
        }
        _ => one == other,
    }
}

/// The members of a merge patch that leads from one record to the other; a member that was removed is null.
///
/// # Errors
/// `validation_failed` where the record is no longer an object.
fn changes(before: Value, after: Value) -> Result<Map<String, Value>, Problem> {
    let (Value::Object(before), Value::Object(mut after)) = (before, after) else {
        return Err(Problem::validation([FieldError::pointer(
            "",
            "type",
            "must leave an object in the record's place",
        )]));
    };
    for (name, value) in before {
        match after.get(&name) {
            None => drop(after.insert(name, Value::Null)),
            Some(kept) if *kept == value => drop(after.shift_remove(&name)),
            Some(_) => {}
        }
    }
    Ok(after)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn patched(record: Value, operations: &Value) -> Result<Map<String, Value>, Code> {
        let operations = parse(operations.to_string().as_bytes()).map_err(|problem| problem.code())?;
        let after = apply(&operations, record.clone(), 10_000).map_err(|problem| problem.code())?;
        changes(record, after).map_err(|problem| problem.code())
    }

    #[test]
    fn changed_members_are_those_of_a_merge_patch() {
        let record = json!({ "id": 7, "name": "Lamp", "tags": ["a"], "note": null });
        let operations = json!([
            { "op": "test", "path": "/name", "value": "Lamp" },
            { "op": "replace", "path": "/name", "value": "Desk" },
            { "op": "add", "path": "/tags/-", "value": "b" },
            { "op": "remove", "path": "/note" },
        ]);
        let expected = json!({ "name": "Desk", "tags": ["a", "b"], "note": null });
        assert_eq!(Value::Object(patched(record, &operations).unwrap()), expected);
    }

    #[test]
    fn failed_test_is_a_conflict_and_a_missing_place_is_invalid() {
        let test = json!([{ "op": "test", "path": "/price", "value": 6 }]);
        assert_eq!(patched(json!({ "price": 5.0 }), &test), Err(Code::Conflict));
        let equal = json!([{ "op": "test", "path": "/price", "value": 5 }]);
        assert_eq!(patched(json!({ "price": 5.0 }), &equal), Ok(Map::new()));
        for path in ["/nothing/below", "/list/7", "/list/-", "/list/01", "/name/0", ""] {
            let remove = json!([{ "op": "remove", "path": path }]);
            let record = json!({ "name": "Lamp", "list": [] });
            assert_eq!(patched(record, &remove), Err(Code::ValidationFailed), "{path}");
        }
        for operation in [json!({}), json!({ "op": "test" }), json!({ "op": "do", "path": "" }), json!(1)] {
            assert_eq!(patched(json!({}), &json!([operation])), Err(Code::ValidationFailed));
        }
        let whole = json!([{ "op": "replace", "path": "", "value": [] }]);
        assert_eq!(patched(json!({}), &whole), Err(Code::ValidationFailed));
    }

    #[test]
    fn copies_of_copies_are_bounded_in_size_and_depth() {
        let copy = |from: &str, path: &str| json!({ "op": "copy", "from": from, "path": path });
        let doubling: Vec<_> = (0..40).map(|_| copy("/list", "/list/-")).collect();
        assert_eq!(patched(json!({ "list": ["0123456789"] }), &json!(doubling)), Err(Code::BodyTooLarge));
        let deepening: Vec<_> = (0..200).map(|_| copy("/a", "/a/a")).collect();
        assert!(patched(json!({ "a": {} }), &json!(deepening)).is_err());
        let long = "/a".repeat(200);
        let mut record = json!({});
        for _ in 0..120 {
            record = json!({ "a": record });
        }
        let add = json!([{ "op": "add", "path": long, "value": 1 }]);
        assert_eq!(patched(record, &add), Err(Code::ValidationFailed));
    }
}
