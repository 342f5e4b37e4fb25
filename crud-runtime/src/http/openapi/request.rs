//! Request bodies.

use serde_json::{Map, Value, json};

use super::reference;

/// A body that may be absent.
pub(crate) fn optional_body(description: &str, media_types: &[&str], schema: &str) -> Value {
    let mut body = body(description, media_types, schema);
    body["required"] = false.into();
    body
}

pub(crate) fn body(description: &str, media_types: &[&str], schema: &str) -> Value {
    let media_type = json!({ "schema": reference("schemas", schema) });
    let content: Map<_, _> = media_types.iter().map(|&name| (name.to_owned(), media_type.clone())).collect();
    json!({ "description": description, "required": true, "content": content })
}
