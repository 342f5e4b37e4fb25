//! The service's own routes.

use axum::http::StatusCode;
use serde_json::{Map, json};

use super::json_schema::Schema;
use super::words::{Answer, Words};
use super::{DocumentedResource, Info};
use crate::model::problem::Code;

/// The tag of these routes.
pub(crate) const TAG: &str = "Service";

/// Their schemas' names.
pub(crate) const SCHEMAS: [&str; 2] = ["Root", "ServiceStatus"];

/// The ids of their operations.
pub(crate) const OPERATIONS: [&str; 8] =
    ["getRoot", "getHealth", "getReady", "getOpenapi", "getDocs", "getDocsAsset", "getFavicon", "listAuditLogs"];

/// The description of the tag.
pub(crate) const ABOUT: &str = "The service itself.";

/// The paths that every service has.
pub(crate) fn paths(has_page: bool) -> [(&'static str, Words); 3] {
    [("/", root(has_page)), ("/health", health()), ("/ready", ready())]
}

/// The path of the document.
pub(crate) fn document_path() -> (&'static str, Words) {
    let answer = Answer::json("The document.", Schema::object());
    ("/openapi.json", operation("getOpenapi", "Get this document", "This OpenAPI document.", answer))
}

/// The schemas by name.
pub(crate) fn schemas(info: &Info, resources: &[DocumentedResource<'_>], has_docs: bool) -> [(String, Schema); 2] {
    let prefixes = resources.iter().map(|resource| resource.options.prefix.as_str());
    let endpoints: Map<_, _> =
        prefixes.map(|prefix| (prefix.trim_start_matches('/').to_owned(), prefix.into())).collect();
    let mut example = json!({ "message": format!("Welcome to {}", info.title), "endpoints": endpoints });
    if has_docs {
        example["docs"] = "/docs".into();
    }
    let endpoints = Schema::object().with("additionalProperties", Schema::text());
    let root = Schema::object()
        .about("The service's title and its paths.")
        .member("message", Schema::text().about("A message with the service's title."))
        .optional("docs", Schema::text().about("The path of the documentation, if the service has it."))
        .member("endpoints", endpoints.about("The paths of the resources, by name."))
        .example(example);
    let status = Schema::choice(["ok", "ready"]).about("`ok` of the process, `ready` of the database too.");
    let status = Schema::object().about("The status of the service.").member("status", status);
    [(SCHEMAS[0].to_owned(), root), (SCHEMAS[1].to_owned(), status.example(json!({ "status": "ok" })))]
}

fn root(has_page: bool) -> Words {
    let mut answer = Answer::json("The service's title and its paths.", Schema::reference("Root"));
    if has_page {
        answer.content.push(("text/html", Some(Schema::text())));
    }
    let description = "The service's title, and the paths of its resources and its documentation.";
    operation("getRoot", "Get the service's paths", description, answer)
}

fn health() -> Words {
    let answer = Answer::json("The process is running.", Schema::reference("ServiceStatus"));
    operation("getHealth", "Check that the process is running", "Answers without the database.", answer)
}

fn ready() -> Words {
    let answer = Answer::json("The database responds.", Schema::reference("ServiceStatus"));
    let description = "Asks the database: for load balancers.";
    operation("getReady", "Check that the database responds", description, answer).problems(&[Code::Unavailable])
}

/// An operation of the service.
pub(crate) fn operation(id: &str, summary: &str, description: &str, answer: Answer) -> Words {
    Words::new(TAG, id, summary, description).answer(StatusCode::OK, answer).problems(&[Code::Internal])
}
