//! The schemas of a problem document (RFC 9457).

use serde_json::{Value, json};

use super::{reference, response};
use crate::model::problem::Code;

/// The schemas' names.
pub(super) const SCHEMAS: [&str; 2] = ["Problem", "ProblemPlace"];

/// The schemas by name.
pub(super) fn schemas(secured: bool) -> [(String, Value); 2] {
    [(SCHEMAS[0].to_owned(), problem_schema(secured)), (SCHEMAS[1].to_owned(), error_schema())]
}

fn problem_schema(secured: bool) -> Value {
    let codes: Vec<_> = response::codes(secured).map(Code::as_str).collect();
    json!({
        "description": "What went wrong (RFC 9457).",
        "type": "object",
        "required": ["type", "title", "status", "code", "detail"],
        "properties": {
            "type": {
                "description": "Always `about:blank`: `code` tells problems apart.",
                "type": "string",
                "format": "uri-reference",
            },
            "title": {
                "description": "The status in words.",
                "type": "string",
            },
            "status": {
                "description": "The status.",
                "type": "integer",
                "format": "int32",
                "minimum": 400,
                "maximum": 599,
            },
            "code": {
                "description": "What went wrong, for programs.",
                "type": "string",
                "enum": codes,
            },
            "detail": {
                "description": "What went wrong, for people.",
                "type": "string",
            },
            "errors": {
                "description": "Where in the request.",
                "type": "array",
                "items": reference("schemas", SCHEMAS[1]),
                "minItems": 1,
            },
            "request_id": {
                "description": "The id of the request, which the service's log has too.",
                "type": "string",
            },
        },
    })
}

fn error_schema() -> Value {
    json!({
        "description": "A place in the request, and what is wrong there.",
        "type": "object",
        "required": ["code", "detail"],
        "properties": {
            "index": {
                "description": "The item of a batch, from 0; a pointer is into the item then.",
                "type": "integer",
                "format": "int32",
                "minimum": 0,
            },
            "pointer": {
                "description": "The place in the body (RFC 6901); of a missing field, where it should be.",
                "type": "string",
                "format": "json-pointer",
            },
            "parameter": {
                "description": "The parameter in the query or the path.",
                "type": "string",
            },
            "code": {
                "description": "The kind of mistake, such as `type` or `required`.",
                "type": "string",
            },
            "detail": {
                "description": "What is wrong there, for people.",
                "type": "string",
            },
        },
    })
}
