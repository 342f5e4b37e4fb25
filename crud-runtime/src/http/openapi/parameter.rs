//! The parameters of requests: path, query and headers.

use serde_json::{Map, Value, json};

use super::schema;
use super::schema::is_client_key;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};

/// The record's key, in the path.
pub(crate) fn id(descriptor: &Descriptor) -> Value {
    let column = descriptor.id_column();
    let mut schema = schema::value_schema(column);
    if is_client_key(column) {
        schema["minLength"] = 1.into();
    }
    json!({
        "name": "id",
        "in": "path",
        "required": true,
        "description": format!("The `{}` of the record.", column.json),
        "schema": schema,
    })
}

/// A parameter in the path of a route of the program.
pub(crate) fn path(name: &str) -> Value {
    json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 } })
}

pub(crate) fn query_parameter(name: &str, description: &str, schema: &Value) -> Value {
    json!({ "name": name, "in": "query", "description": description, "schema": schema })
}

/// A parameter that is true or false.
pub(crate) fn flag(name: &str, description: &str, by_default: bool) -> Value {
    query_parameter(name, description, &json!({ "type": "boolean", "default": by_default }))
}

/// A parameter of a route of the program.
pub(crate) fn of_query(column: &ColumnDescriptor) -> Value {
    let mut parameter = query_parameter(column.json, column.doc.trim(), &schema::parameter(column));
    if column.is_required() {
        parameter["required"] = true.into();
    }
    parameter
}

/// A parameter with a comma-separated list.
pub(crate) fn comma_separated(name: &str, description: &str, schema: &Value) -> Value {
    json!({
        "name": name,
        "in": "query",
        "description": description,
        "style": "form",
        "explode": false,
        "schema": schema,
    })
}

/// The request headers that operations share, as components.
///
/// Without examples, which Swagger UI would send with every request.
pub(crate) fn components() -> Map<String, Value> {
    let headers = [
        (
            "IfNoneMatch",
            "If-None-Match",
            "Entity tags of versions that the client has: the response to one of them is 304.",
        ),
        (
            "IfMatch",
            "If-Match",
            "Entity tags of versions, one of which the record must have: otherwise the response is 412.",
        ),
        (
            "PreferList",
            "Prefer",
            "`count=capped` counts up to a limit and `count=none` not at all, never more precisely than the resource does; \
             `handling=lenient` ignores unknown parameters (RFC 7240).",
        ),
        ("PreferChange", "Prefer", "`return=minimal` asks for a response without a body (RFC 7240)."),
    ];
    headers
        .into_iter()
        .map(|(key, name, description)| {
            let schema = json!({ "type": "string" });
            (key.to_owned(), json!({ "name": name, "in": "header", "description": description, "schema": schema }))
        })
        .collect()
}
