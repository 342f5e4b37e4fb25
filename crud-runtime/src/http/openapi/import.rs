//! Imports: their schemas and operations.

use serde_json::{Value, json};

use super::{DocumentedResource, batch, reference};

/// The names of the schemas that resources share.
pub(crate) const SCHEMAS: [&str; 2] = ["ImportResult", "ImportError"];

/// The shared schemas by name, where a resource has imports.
pub(crate) fn schemas(resources: &[DocumentedResource<'_>]) -> Vec<(String, Value)> {
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
