//! The schemas of a problem document (RFC 9457).

use serde_json::{Value, json};

use super::{reference, response};
use crate::model::problem::Code;

/// The schemas' names.
pub(crate) const SCHEMAS: [&str; 2] = ["Problem", "ProblemPlace"];

/// The schemas by name.
pub(crate) fn schemas(secured: bool) -> [(String, Value); 2] {
    [(SCHEMAS[0].to_owned(), problem_schema(secured)), (SCHEMAS[1].to_owned(), error_schema())]
}

fn problem_schema(secured: bool) -> Value {
    let codes: Vec<_> = response::codes(secured).map(Code::as_str).collect();
    json!({
        "description": "A problem document (RFC 9457).",
        "type": "object",
        "required": ["type", "title", "status", "code", "detail"],
        "properties": {
            "type": {
                "description": "Always `about:blank`: `code` identifies the problem.",
                "type": "string",
                "format": "uri-reference",
            },
            "title": {
                "description": "The phrase of the status.",
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
                "description": "The problem's code, for programs.",
                "type": "string",
                "enum": codes,
            },
            "detail": {
                "description": "The problem's description, for people.",
                "type": "string",
            },
            "errors": {
                "description": "The errors in the request.",
                "type": "array",
                "items": reference("schemas", SCHEMAS[1]),
                "minItems": 1,
            },
            "request_id": {
                "description": "The id of the request, as in the service's log.",
                "type": "string",
            },
        },
    })
}

fn error_schema() -> Value {
    json!({
        "description": "An error at a place in the request.",
        "type": "object",
        "required": ["code", "detail"],
        "properties": {
            "index": {
                "description": "The index of a batch's item, from 0; the pointer is then into the item.",
                "type": "integer",
                "format": "int32",
                "minimum": 0,
            },
            "line": {
                "description": "The line of a file that a record begins on, from 1; the pointer is then into the record.",
                "type": "integer",
                "format": "int64",
                "minimum": 1,
            },
            "pointer": {
                "description": "The place in the body (RFC 6901), or in the value of the parameter; for a missing field, its expected place.",
                "type": "string",
                "format": "json-pointer",
            },
            "parameter": {
                "description": "The parameter in the query or the path.",
                "type": "string",
            },
            "code": {
                "description": "The kind of error, such as `type` or `required`.",
                "type": "string",
            },
            "detail": {
                "description": "The error's description, for people.",
                "type": "string",
            },
            "allowed": {
                "description": "Of an illegal transition: the names of those that are legal.",
                "type": "array",
                "items": { "type": "string" },
            },
        },
    })
}
