//! Restores and purges: their schemas and operations.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::wording::plural;
use super::{DocumentedResource, parameter, reference, response, wording};
use crate::model::descriptor::{Operation, Uniqueness};
use crate::model::problem::Code;

/// The schemas' names.
pub(super) const SCHEMAS: [&str; 2] = ["RestoredCount", "PurgedCount"];

/// The schemas by name, where a resource has the operation.
pub(super) fn schemas(resources: &[DocumentedResource<'_>]) -> Vec<(String, Value)> {
    let offered = |operation| resources.iter().any(|resource| resource.offers(operation));
    let mut schemas = Vec::new();
    if offered(Operation::RestoreMany) {
        schemas.push((SCHEMAS[0].to_owned(), count_schema("restored", "The number of restored records.")));
    }
    if offered(Operation::PurgeMany) {
        schemas.push((SCHEMAS[1].to_owned(), count_schema("deleted", "The number of permanently removed records.")));
    }
    schemas
}

fn count_schema(member: &str, description: &str) -> Value {
    json!({
        "description": description,
        "type": "object",
        "required": [member],
        "properties": { member: { "type": "integer", "format": "int64", "minimum": 0 } },
        "examples": [{ member: 1 }],
    })
}

pub(super) fn restore(resource: &DocumentedResource<'_>) -> Value {
    let DocumentedResource { options, names, .. } = resource;
    let record = reference("schemas", &names.record());
    json!({
        "tags": options.tags,
        "summary": format!("Restore {}", wording::with_article(options.descriptor.name)),
        "description": "Makes a deleted record active again.",
        "operationId": names.operation_id(Operation::Restore),
        "parameters": [reference("parameters", "PreferChange")],
        "responses": response::with_database_problems(
            [
                (StatusCode::OK, response::json_body("The restored record.", &record, &["ETag"])),
                (StatusCode::NO_CONTENT, response::empty("The record is restored.", &["ETag", "Preference-Applied"])),
            ],
            &[&[Code::ValidationFailed, Code::NotFound, Code::NotDeleted], &restore_conflicts(resource)[..]].concat(),
        ),
    })
}

pub(super) fn restore_many(resource: &DocumentedResource<'_>) -> Value {
    let DocumentedResource { options, names, .. } = resource;
    let mut ids = json!({
        "type": "object",
        "required": ["ids"],
        "properties": {
            "ids": {
                "type": "array",
                "items": super::schema::value_schema(options.descriptor.id_column()),
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
            "Restores the deleted records that satisfy the filters, or those whose ids are in the body, or all.{}",
            several_records(resource)
        ),
        "operationId": names.operation_id(Operation::RestoreMany),
        "parameters": parameter::selection(options.descriptor, &names.condition()),
        "requestBody": {
            "description": "The ids of the records, instead of filters.",
            "content": { "application/json": { "schema": ids } },
        },
        "responses": response::with_database_problems(
            [(StatusCode::OK, response::json_body("The number of records.", &reference("schemas", SCHEMAS[0]), &[]))],
            &[
                &response::BODY[..],
                &restore_conflicts(resource),
                &[Code::NotDeleted, Code::NotFound, Code::BatchTooLarge],
                several_records_problem(resource),
            ]
            .concat(),
        ),
    })
}

/// The conflicts of a record that becomes active: with values that are unique among active records.
fn restore_conflicts(resource: &DocumentedResource<'_>) -> Vec<Code> {
    let descriptor = resource.options.descriptor;
    let of_columns = descriptor.columns.iter().filter_map(|column| column.unique);
    let mut among = of_columns.chain(descriptor.uniques.iter().map(|group| group.among));
    if among.any(|among| among == Uniqueness::Active) { vec![Code::Conflict] } else { Vec::new() }
}

/// The problem of several records, where storage has no transactions, and of conditions on other records, where it has no
/// subqueries.
fn several_records_problem(resource: &DocumentedResource<'_>) -> &'static [Code] {
    if resource.transactions && resource.relations { &[] } else { &[Code::UnsupportedHere] }
}

/// The limit of storage without transactions.
fn several_records(resource: &DocumentedResource<'_>) -> &'static str {
    if resource.transactions { "" } else { " The storage of this service refuses several records." }
}

/// The problem of a record that others keep.
fn kept_problem(resource: &DocumentedResource<'_>) -> &'static [Code] {
    if resource.is_kept { &[Code::Referenced] } else { &[] }
}

pub(super) fn purge(resource: &DocumentedResource<'_>) -> Value {
    let DocumentedResource { options, names, .. } = resource;
    let record = reference("schemas", &names.record());
    json!({
        "tags": options.tags,
        "summary": format!("Permanently remove {}", wording::with_article(options.descriptor.name)),
        "description": "Permanently removes a deleted record.",
        "operationId": names.operation_id(Operation::Purge),
        "parameters": [reference("parameters", "IfMatch"), reference("parameters", "PreferChange")],
        "responses": response::with_database_problems(
            [
                (StatusCode::OK, response::json_body("The removed record.", &record, &[])),
                (StatusCode::NO_CONTENT, response::empty("The record is removed.", &["Preference-Applied"])),
            ],
            &[
                &[Code::ValidationFailed, Code::NotFound, Code::NotDeleted, Code::PreconditionFailed],
                kept_problem(resource),
            ]
            .concat(),
        ),
    })
}

pub(super) fn purge_many(resource: &DocumentedResource<'_>) -> Value {
    let DocumentedResource { options, names, .. } = resource;
    json!({
        "tags": options.tags,
        "summary": format!("Permanently remove {}", plural(resource)),
        "description": format!(
            "Permanently removes the deleted records that satisfy the filters, or all of them. All are removed, or none.{}",
            several_records(resource)
        ),
        "operationId": names.operation_id(Operation::PurgeMany),
        "parameters": parameter::selection(options.descriptor, &names.condition()),
        "responses": response::with_database_problems(
            [(StatusCode::OK, response::json_body("The number of records.", &reference("schemas", SCHEMAS[1]), &[]))],
            &[&[Code::ValidationFailed], kept_problem(resource), several_records_problem(resource)].concat(),
        ),
    })
}
