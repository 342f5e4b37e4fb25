//! Imports: their schemas and operations.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::parameter::{query_parameter, upsert};
use super::wording::plural;
use super::{DocumentedResource, batch, reference, response};
use crate::model::descriptor::Descriptor;
use crate::model::problem::Code;

/// The names of the schemas that resources share.
pub(super) const SCHEMAS: [&str; 2] = ["ImportResult", "ImportError"];

/// The shared schemas by name, where a resource has imports.
pub(super) fn schemas(resources: &[DocumentedResource<'_>]) -> Vec<(String, Value)> {
    if resources.iter().all(|resource| resource.options.descriptor.import.is_none()) {
        return Vec::new();
    }
    let line = "The line of the file that the record begins on, from 1.";
    vec![
        (SCHEMAS[0].to_owned(), result_schema()),
        (SCHEMAS[1].to_owned(), batch::part_error("A record that was not imported.", "line", line)),
    ]
}

fn result_schema() -> Value {
    let count =
        |description: &str| json!({ "description": description, "type": "integer", "format": "int64", "minimum": 0 });
    json!({
        "description": "The result of an import.",
        "type": "object",
        "required": ["created", "updated", "skipped", "failed", "errors"],
        "properties": {
            "created": count("How many records were created."),
            "updated": count("How many had the values of `on_conflict`, and were changed."),
            "skipped": count("How many had the values of `on_conflict`, and stayed."),
            "failed": count("How many were refused."),
            "errors": {
                "description": "The first of those that were refused.",
                "type": "array",
                "items": reference("schemas", SCHEMAS[1]),
                "maxItems": 100,
            },
        },
    })
}

fn description(resource: &Descriptor) -> String {
    let keys = if resource.id_column().is_assigned() {
        " Records get new keys: references in other files still have the old ones."
    } else {
        ""
    };
    format!(
        "Creates records from a file: a JSON object a line, or comma-separated values below a line with the fields' names. \
         What the service sets of a record is ignored, so that an export can be imported.{keys}"
    )
}

pub(super) fn operation(resource: &DocumentedResource<'_>) -> Value {
    let DocumentedResource { options, names, .. } = resource;
    let flag = json!({ "type": "boolean", "default": false });
    let mode = json!({ "type": "string", "enum": ["atomic", "partial"], "default": "atomic" });
    let mut parameters = vec![
        query_parameter("mode", "Whether all records are imported or none, or each that can be.", &mode),
        query_parameter("dry_run", "Whether nothing is written, and the result is what it would be.", &flag),
    ];
    let upserts = upsert(options.descriptor);
    let conflicts = resource.conflicts(!upserts.is_empty());
    parameters.extend(upserts);
    let raw = "Of CSV, whether texts are as they are: without, a `'` before a formula is removed.";
    parameters.push(query_parameter("raw", raw, &flag));
    let result = reference("schemas", SCHEMAS[0]);
    let responses = [
        (StatusCode::OK, response::json_body("The records are imported.", &result, &[])),
        (StatusCode::MULTI_STATUS, response::json_body("Some records were refused.", &result, &[])),
    ];
    let mut problems = [&response::BODY[..], &conflicts, &[Code::ConstraintFailed, Code::BatchTooLarge]].concat();
    if !resource.transactions {
        problems.push(Code::UnsupportedHere);
    }
    let text = json!({ "schema": { "type": "string" } });
    json!({
        "tags": options.tags,
        "summary": format!("Import {}", plural(resource)),
        "description": description(options.descriptor),
        "operationId": names.import_operation_id(),
        "parameters": parameters,
        "requestBody": {
            "description": "The file.",
            "required": true,
            "content": { "application/x-ndjson": text, "text/csv": text },
        },
        "responses": response::with_database_problems(responses, &problems),
    })
}
