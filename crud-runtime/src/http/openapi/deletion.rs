//! Restores and purges.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::wording::plural;
use super::{Mounted, parameter, reference, response, wording};
use crate::model::descriptor::Operation;
use crate::model::problem::Code;

/// The names of the schemas.
pub(super) const SCHEMAS: [&str; 2] = ["RestoredCount", "PurgedCount"];

/// The schemas, by name, where a resource has use of them.
pub(super) fn schemas(resources: &[Mounted<'_>]) -> Vec<(String, Value)> {
    let offered = |operation| resources.iter().any(|resource| resource.offers(operation));
    let mut schemas = Vec::new();
    if offered(Operation::RestoreMany) {
        schemas.push((SCHEMAS[0].to_owned(), count("restored", "How many records were restored.")));
    }
    if offered(Operation::PurgeMany) {
        schemas.push((SCHEMAS[1].to_owned(), count("deleted", "How many records were removed for good.")));
    }
    schemas
}

fn count(member: &str, description: &str) -> Value {
    json!({
        "description": description,
        "type": "object",
        "required": [member],
        "properties": { member: { "type": "integer", "format": "int64", "minimum": 0 } },
    })
}

pub(super) fn restore(resource: &Mounted<'_>) -> Value {
    let Mounted { options, names, .. } = resource;
    let record = reference("schemas", &names.record());
    json!({
        "tags": options.tags,
        "summary": format!("Restore {}", wording::one(options.descriptor.name)),
        "operationId": names.operation_id(Operation::Restore),
        "parameters": [reference("parameters", "PreferChange")],
        "responses": response::all(
            [
                (StatusCode::OK, response::json_body("The restored record.", &record, &["ETag"])),
                (StatusCode::NO_CONTENT, response::empty("The record is restored.", &["ETag", "Preference-Applied"])),
            ],
            &[Code::ValidationFailed, Code::NotFound, Code::NotDeleted],
        ),
    })
}

pub(super) fn restore_many(resource: &Mounted<'_>) -> Value {
    let Mounted { options, names, .. } = resource;
    let mut ids = json!({
        "type": "object",
        "required": ["ids"],
        "properties": {
            "ids": {
                "type": "array",
                "items": super::schema::value(options.descriptor.id_column()),
                "uniqueItems": true,
            },
        },
        "additionalProperties": false,
    });
    if !resource.transactions {
        ids["properties"]["ids"]["maxItems"] = 1.into();
    }
    json!({
        "tags": options.tags,
        "summary": format!("Restore {}", plural(resource)),
        "description": format!(
            "Restores the deleted records that satisfy the filters, or those of the ids in the body, or all.{}",
            several(resource)
        ),
        "operationId": names.operation_id(Operation::RestoreMany),
        "parameters": parameter::selection(options.descriptor),
        "requestBody": {
            "description": "The ids of the records, instead of filters.",
            "content": { "application/json": { "schema": ids } },
        },
        "responses": response::all(
            [(StatusCode::OK, response::json_body("How many.", &reference("schemas", SCHEMAS[0]), &[]))],
            &[&response::BODY[..], &[Code::Conflict, Code::BatchTooLarge]].concat(),
        ),
    })
}

/// What storage without transactions refuses.
fn several(resource: &Mounted<'_>) -> &'static str {
    if resource.transactions { "" } else { " The storage of this service refuses several records." }
}

pub(super) fn purge(resource: &Mounted<'_>) -> Value {
    let Mounted { options, names, .. } = resource;
    let record = reference("schemas", &names.record());
    json!({
        "tags": options.tags,
        "summary": format!("Remove {} for good", wording::one(options.descriptor.name)),
        "description": "Removes a record that is deleted already.",
        "operationId": names.operation_id(Operation::Purge),
        "parameters": [reference("parameters", "IfMatch"), reference("parameters", "PreferChange")],
        "responses": response::all(
            [
                (StatusCode::OK, response::json_body("The record as it was.", &record, &[])),
                (StatusCode::NO_CONTENT, response::empty("The record is removed.", &["Preference-Applied"])),
            ],
            &[Code::ValidationFailed, Code::NotFound, Code::NotDeleted, Code::PreconditionFailed],
        ),
    })
}

pub(super) fn purge_many(resource: &Mounted<'_>) -> Value {
    let Mounted { options, names, .. } = resource;
    json!({
        "tags": options.tags,
        "summary": format!("Remove {} for good", plural(resource)),
        "description": format!(
            "Removes the deleted records that satisfy the filters, or all of them: every one or none.{}",
            several(resource)
        ),
        "operationId": names.operation_id(Operation::PurgeMany),
        "parameters": parameter::selection(options.descriptor),
        "responses": response::all(
            [(StatusCode::OK, response::json_body("How many.", &reference("schemas", SCHEMAS[1]), &[]))],
            &[Code::ValidationFailed, Code::Referenced],
        ),
    })
}
