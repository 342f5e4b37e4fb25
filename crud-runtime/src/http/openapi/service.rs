//! The service's own routes.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::{DocumentedResource, Info, reference, response};
use crate::model::problem::Code;

/// The tag of these routes.
pub(crate) const TAG: &str = "Service";

/// Their schemas' names.
pub(crate) const SCHEMAS: [&str; 2] = ["Root", "ServiceStatus"];

/// The ids of their operations.
pub(crate) const OPERATIONS: [&str; 8] =
    ["getRoot", "getHealth", "getReady", "getOpenapi", "getDocs", "getDocsAsset", "getFavicon", "listAuditLogs"];

/// The tag and its description.
pub(crate) fn tag() -> Value {
    json!({ "name": TAG, "description": "The service itself." })
}

/// The paths that every service has.
pub(crate) fn paths(has_page: bool) -> [(&'static str, Value); 3] {
    [("/", root(has_page)), ("/health", health()), ("/ready", ready())]
}

/// The path of the document.
pub(crate) fn document_path() -> (&'static str, Value) {
    ("/openapi.json", document())
}

/// The schemas by name.
pub(crate) fn schemas(info: &Info, resources: &[DocumentedResource<'_>], has_docs: bool) -> [(String, Value); 2] {
    let prefixes = resources.iter().map(|resource| resource.options.prefix.as_str());
    let endpoints: Map<_, _> =
        prefixes.map(|prefix| (prefix.trim_start_matches('/').to_owned(), prefix.into())).collect();
    let mut example = json!({ "message": format!("Welcome to {}", info.title), "endpoints": endpoints });
    if has_docs {
        example["docs"] = "/docs".into();
    }
    let root = json!({
        "description": "The service's title and its paths.",
        "type": "object",
        "required": ["message", "endpoints"],
        "properties": {
            "message": {
                "description": "A message with the service's title.",
                "type": "string",
            },
            "docs": {
                "description": "The path of the documentation, if the service has it.",
                "type": "string",
            },
            "endpoints": {
                "description": "The paths of the resources, by name.",
                "type": "object",
                "additionalProperties": { "type": "string" },
            },
        },
        "examples": [example],
    });
    let status = json!({
        "description": "The status of the service.",
        "type": "object",
        "required": ["status"],
        "properties": {
            "status": { "description": "`ok` of the process, `ready` of the database too.", "type": "string", "enum": ["ok", "ready"] },
        },
        "examples": [{ "status": "ok" }],
    });
    [(SCHEMAS[0].to_owned(), root), (SCHEMAS[1].to_owned(), status)]
}

fn root(has_page: bool) -> Value {
    let mut answer = response::json_body("The service's title and its paths.", &reference("schemas", "Root"), &[]);
    if has_page {
        answer["content"]["text/html"] = json!({ "schema": { "type": "string" } });
    }
    let description = "The service's title, and the paths of its resources and its documentation.";
    operation("getRoot", "Get the service's paths", description, answer, &[])
}

fn health() -> Value {
    let answer = response::json_body("The process is running.", &reference("schemas", "ServiceStatus"), &[]);
    operation("getHealth", "Check that the process is running", "Answers without the database.", answer, &[])
}

fn ready() -> Value {
    let answer = response::json_body("The database responds.", &reference("schemas", "ServiceStatus"), &[]);
    let description = "Asks the database: for load balancers.";
    operation("getReady", "Check that the database responds", description, answer, &[Code::Unavailable])
}

fn document() -> Value {
    let answer = response::json_body("The document.", &json!({ "type": "object" }), &[]);
    operation("getOpenapi", "Get this document", "This OpenAPI document.", answer, &[])
}

/// An operation of the service.
pub(crate) fn operation(id: &str, summary: &str, description: &str, answer: Value, problems: &[Code]) -> Value {
    json!({
        "tags": [TAG],
        "summary": summary,
        "description": description,
        "operationId": id,
        "responses": response::with_problems([(StatusCode::OK, answer)], &[problems, &[Code::Internal]].concat()),
    })
}
