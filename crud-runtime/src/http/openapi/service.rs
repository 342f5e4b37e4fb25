//! The service's own routes.

use axum::http::{Method, StatusCode};
use serde_json::{Map, json};

use super::access;
use super::document_version::DocumentVersion;
use super::info::Info;
use super::program::DocsAccess;
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::{Answer, OperationDoc, ParameterObject, Path};
use crate::http::service_paths::ServicePaths;
use crate::model::problem::Code;

/// The tag of these routes.
pub(crate) const TAG: &str = "Service";

/// The description of the tag.
pub(crate) const ABOUT: &str = "The service itself.";

/// The paths of a service. Those of the document and its pages have the access that they need.
pub(crate) fn paths(
    info: &Info,
    resources: &[DocumentedResource<'_>],
    docs_access: &DocsAccess,
    own: &ServicePaths,
    secured: bool,
) -> Vec<Path> {
    let mut of_document = vec![("/openapi.json", document())];
    #[cfg(feature = "docs")]
    of_document.push(("/docs", page()));
    match docs_access {
        DocsAccess::Off => of_document.clear(),
        DocsAccess::Role(role) if secured => {
            for (_, words) in &mut of_document {
                access::secure_role(words, role);
            }
        }
        DocsAccess::Public | DocsAccess::Role(_) => {}
    }
    let own = [(own.home, root(info, resources, docs_access)), (own.health, health()), (own.ready, ready())];
    let own = own.into_iter().filter_map(|(path, words)| Some((path?, words)));
    let paths = own.chain(of_document);
    paths.map(|(template, words)| Path::of(template, Method::GET, words)).collect()
}

fn root(info: &Info, resources: &[DocumentedResource<'_>], docs_access: &DocsAccess) -> OperationDoc {
    let prefixes = resources.iter().map(|resource| resource.options.prefix.as_str());
    let endpoints: Map<_, _> =
        prefixes.map(|prefix| (prefix.trim_start_matches('/').to_owned(), prefix.into())).collect();
    let mut example = json!({ "message": format!("Welcome to {}", info.title), "endpoints": endpoints });
    if cfg!(feature = "docs") && *docs_access != DocsAccess::Off {
        example["docs"] = "/docs".into();
    }
    let endpoints = Schema::object().with("additionalProperties", Schema::text());
    let title = "The service's title and its paths.";
    let root = Schema::object()
        .about(title)
        .member("message", Schema::text().about("A message with the service's title."))
        .optional("docs", Schema::text().about("The path of the documentation, if the service has it."))
        .member("endpoints", endpoints.about("The paths of the resources, by name."))
        .example(example);
    let mut answer = Answer::json(title, Schema::named("Root", root));
    if cfg!(feature = "docs") && *docs_access == DocsAccess::Public {
        answer.content.push(("text/html", Schema::text()));
    }
    let description = "The service's title, and the paths of its resources and its documentation.";
    operation("getRoot", "Get the service's paths", description, answer)
}

fn health() -> OperationDoc {
    let answer = Answer::json("The process is running.", status());
    operation("getHealth", "Check that the process is running", "Answers without the database.", answer)
}

fn ready() -> OperationDoc {
    let answer = Answer::json("The database responds.", status());
    let description = "Asks the database: for load balancers.";
    operation("getReady", "Check that the database responds", description, answer).problems(&[Code::Unavailable])
}

fn status() -> Schema {
    let status = Schema::choice(["ok", "ready"]).about("`ok` of the process, `ready` of the database too.");
    let status = Schema::object().about("The status of the service.").member("status", status);
    Schema::named("ServiceStatus", status.example(json!({ "status": "ok" })))
}

fn document() -> OperationDoc {
    let info = Schema::object().member("title", Schema::text()).member("version", Schema::text());
    let document = Schema::object().member("openapi", Schema::text()).member("info", info);
    let answer = Answer::json("The document.", document);
    let about = "The version of OpenAPI. With 3.2, the document has `QUERY`, the schemas of streamed items, and the order of tags.";
    let version = Schema::choice(DocumentVersion::NAMES).with("default", DocumentVersion::NAMES[0]);
    operation("getOpenapi", "Get this document", "This OpenAPI document.", answer)
        .parameters([ParameterObject::query("version", about, version)])
        .problems(&[Code::ValidationFailed])
}

#[cfg(feature = "docs")]
fn page() -> OperationDoc {
    let page = Answer { content: vec![("text/html", Schema::text())], ..Answer::empty("The page.") };
    let answer = page.headers(&["ETag"]);
    operation("getDocs", "Get this document as a page", "Swagger UI, with this document.", answer)
}

fn operation(id: &str, summary: &str, description: &str, answer: Answer) -> OperationDoc {
    OperationDoc::new(TAG, id, summary, description).answer(StatusCode::OK, answer).problems(&[Code::Internal])
}
