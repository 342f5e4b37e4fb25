//! Batches: their schemas and operations.

use serde_json::{Value, json};

use super::refusal::Refusals;
use super::{DocumentedResource, example, problem, reference, response, schema};
use crate::model::descriptor::Operation;
use crate::model::problem::Code;

/// The names of the schemas that resources share.
pub(crate) const SCHEMAS: [&str; 1] = ["BatchError"];

const OPERATIONS: [Operation; 3] = [Operation::BatchCreate, Operation::BatchUpdate, Operation::BatchDelete];

/// The shared schema by name, where a resource has partial batches.
pub(crate) fn schemas(resources: &[DocumentedResource<'_>], refusals: &Refusals<'_>) -> Option<(String, Value)> {
    let is_used = |resource: &DocumentedResource<'_>| {
        resource.options.batch.is_some_and(|batch| batch.partial)
            && OPERATIONS.into_iter().any(|operation| resource.offers(operation))
    };
    resources.iter().any(is_used).then(|| {
        let mut schema = error_schema();
        example::add(&mut schema, Some(refusals.item(1, Code::ValidationFailed)));
        (SCHEMAS[0].to_owned(), schema)
    })
}

/// The schema of a failed item of a partial batch.
fn error_schema() -> Value {
    part_error("A failed item of a batch.", "index", "The index of the item, from 0.")
}

/// The schema of a part of a body that failed, which has this member.
pub(crate) fn part_error(description: &str, part: &str, part_description: &str) -> Value {
    // Authentication and permission fail for the batch as a whole, not for an item.
    let codes: Vec<_> = response::codes(false).map(Code::as_str).collect();
    json!({
        "description": description,
        "type": "object",
        "required": [part, "status", "code", "detail"],
        "properties": {
            part: { "description": part_description, "type": "integer", "format": "int32", "minimum": 0 },
            "status": {
                "description": "The status that a request for this one alone would have.",
                "type": "integer",
                "format": "int32",
                "minimum": 400,
                "maximum": 599,
            },
            "code": { "description": "The problem's code, for programs.", "type": "string", "enum": codes },
            "detail": { "description": "The problem's description, for people.", "type": "string" },
            "errors": {
                "description": "The errors in it.",
                "type": "array",
                "items": reference("schemas", problem::SCHEMAS[1]),
                "minItems": 1,
            },
        },
    })
}

/// The schemas of a resource's batches by name.
pub(crate) fn resource_schemas(resource: &DocumentedResource<'_>) -> Vec<(String, Value)> {
    let DocumentedResource { options, names, examples, .. } = resource;
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
        let mut request = request;
        let (sent, record) = match operation {
            Operation::BatchCreate => (examples.create().map(|item| json!({ "items": [item] })), examples.record()),
            Operation::BatchUpdate => {
                let item = examples.patch().zip(examples.id()).map(|(mut item, id)| {
                    item[options.descriptor.id_column().json] = id;
                    json!({ "items": [item] })
                });
                (item, examples.record())
            }
            _ => (examples.id().map(|id| json!({ "ids": [id] })), examples.deleted_record()),
        };
        example::add(&mut request, sent);
        schemas.push((names.batch(operation), request));
        let mut result = result_schema(verb(operation), &names.record(), batch.partial);
        let returned = record.map(|record| {
            let mut returned = json!({ verb(operation): 1, "items": [record] });
            if batch.partial {
                returned["failed"] = 0.into();
                returned["errors"] = json!([]);
            }
            returned
        });
        example::add(&mut result, returned);
        schemas.push((names.batch_result(operation), result));
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
