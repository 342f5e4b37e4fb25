//! Batches: their schemas and operations.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::request::body;
use super::wording::plural;
use super::{DocumentedResource, problem, reference, response, schema};
use crate::http::routes::ResourcePath;
use crate::model::descriptor::Operation;
use crate::model::problem::Code;

/// The names of the schemas that resources share.
pub(super) const SCHEMAS: [&str; 1] = ["BatchError"];

const OPERATIONS: [Operation; 3] = [Operation::BatchCreate, Operation::BatchUpdate, Operation::BatchDelete];

/// The shared schema by name, where a resource has partial batches.
pub(super) fn schemas(resources: &[DocumentedResource<'_>]) -> Option<(String, Value)> {
    let is_used = |resource: &DocumentedResource<'_>| {
        resource.options.batch.is_some_and(|batch| batch.partial)
            && OPERATIONS.into_iter().any(|operation| resource.offers(operation))
    };
    resources.iter().any(is_used).then(|| (SCHEMAS[0].to_owned(), error_schema()))
}

/// The schema of a failed item of a partial batch.
fn error_schema() -> Value {
    // Authentication and permission fail for the batch as a whole, not for an item.
    let codes: Vec<_> = response::codes(false).map(Code::as_str).collect();
    json!({
        "description": "A failed item of a batch.",
        "type": "object",
        "required": ["index", "status", "code", "detail"],
        "properties": {
            "index": {
                "description": "The index of the item, from 0.",
                "type": "integer",
                "format": "int32",
                "minimum": 0,
            },
            "status": {
                "description": "The status that a request for this item alone would have.",
                "type": "integer",
                "format": "int32",
                "minimum": 400,
                "maximum": 599,
            },
            "code": { "description": "The problem's code, for programs.", "type": "string", "enum": codes },
            "detail": { "description": "The problem's description, for people.", "type": "string" },
            "errors": {
                "description": "The errors in the item.",
                "type": "array",
                "items": reference("schemas", problem::SCHEMAS[1]),
                "minItems": 1,
            },
        },
    })
}

/// The schemas of a resource's batches by name.
pub(super) fn resource_schemas(resource: &DocumentedResource<'_>) -> Vec<(String, Value)> {
    let DocumentedResource { options, names, .. } = resource;
    let Some(batch) = options.batch else { return Vec::new() };
    // An atomic batch of several items needs transactions.
    let max_items = if batch.partial || resource.transactions { batch.max_size } else { 1 };
    let list = |member: &str, items: Value| {
        json!({
            "description": "A batch.",
            "type": "object",
            "required": [member],
            "properties": { member: { "type": "array", "items": items, "maxItems": max_items } },
            "additionalProperties": false,
        })
    };
    let mut schemas = Vec::new();
    for operation in OPERATIONS.into_iter().filter(|operation| resource.offers(*operation)) {
        let request = match operation {
            Operation::BatchCreate => list("items", reference("schemas", &names.create())),
            Operation::BatchUpdate => {
                schemas.push((names.batch_item(), schema::batch_item(options)));
                list("items", reference("schemas", &names.batch_item()))
            }
            _ => {
                let mut ids = list("ids", schema::value_schema(options.descriptor.id_column()));
                ids["properties"]["ids"]["uniqueItems"] = true.into();
                ids
            }
        };
        schemas.push((names.batch(operation), request));
        schemas.push((names.batch_result(operation), result_schema(verb(operation), &names.record(), batch.partial)));
    }
    schemas
}

const fn verb(operation: Operation) -> &'static str {
    match operation {
        Operation::BatchCreate => "created",
        Operation::BatchUpdate => "updated",
        _ => "deleted",
    }
}

/// The schema of a batch's result.
fn result_schema(verb: &str, record: &str, partial: bool) -> Value {
    let count =
        |description: &str| json!({ "description": description, "type": "integer", "format": "int32", "minimum": 0 });
    let mut schema = json!({
        "description": "The result of a batch.",
        "type": "object",
        "required": [verb, "items"],
        "properties": {
            verb: count("The number of items that succeeded."),
            "items": {
                "description": "Their records, in the order of the batch.",
                "type": "array",
                "items": reference("schemas", record),
            },
        },
    });
    if partial {
        schema["required"] = json!([verb, "failed", "items", "errors"]);
        schema["properties"]["failed"] = count("The number of items that failed.");
        schema["properties"]["errors"] = json!({
            "description": "The items that failed, in the order of the batch.",
            "type": "array",
            "items": reference("schemas", SCHEMAS[0]),
        });
    }
    schema
}

pub(super) fn operation(resource: &DocumentedResource<'_>, operation: Operation, path: ResourcePath) -> Value {
    let DocumentedResource { options, names, .. } = resource;
    let partial = options.batch.is_some_and(|batch| batch.partial);
    let result = reference("schemas", &names.batch_result(operation));
    let id = if path == ResourcePath::BatchDelete {
        names.post_batch_delete_operation_id()
    } else {
        names.operation_id(operation)
    };
    let summary = match operation {
        Operation::BatchCreate => "Create",
        Operation::BatchUpdate => "Update",
        _ => "Delete",
    };
    let mut responses = vec![(StatusCode::OK, response::json_body("The result of the batch.", &result, &[]))];
    let mut problems = [&response::BODY[..], &[Code::BatchTooLarge]].concat();
    if partial {
        let some = "Some items failed; the others were changed.";
        responses.push((StatusCode::MULTI_STATUS, response::json_body(some, &result, &[])));
    } else {
        problems.push(Code::Conflict);
        if operation != Operation::BatchCreate {
            problems.push(Code::NotFound);
        }
    }
    json!({
        "tags": options.tags,
        "summary": format!("{summary} several {}", plural(resource)),
        "description": if partial {
            "Each item succeeds or fails independently."
        } else {
            "All items succeed, or nothing is changed."
        },
        "operationId": id,
        "requestBody": body("The items.", &["application/json"], &names.batch(operation)),
        "responses": response::with_database_problems(responses, &problems),
    })
}
