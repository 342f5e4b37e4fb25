//! The route of imports, with its words for the document.

use axum::http::{Method, StatusCode};
use serde_json::{Value as Json, json};

use super::request;
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::reference::reference;
use crate::http::openapi::{import, response as answer};
use crate::http::operation::create;
use crate::http::operation::route::{Body, Route};
use crate::http::param;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::Code;

pub(in crate::http::operation) fn route() -> Route {
    let route =
        Route::new(Method::POST, "/import", Operation::Create, |request| Box::pin(request::import(request)), document);
    Route {
        is_of: |resource| resource.import.is_some(),
        // An import takes as long as its file: each part of it has the time of a request.
        frame: route.frame.untimed(),
        parameters: None,
        body: Body::File,
        is_replaced: false,
        more_access: create::upserts,
        ..route
    }
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &Route) -> Json {
    let DocumentedResource { options, names, .. } = resource;
    let conflicts = resource.conflicts(!options.descriptor.offered_upserts().is_empty());
    let result = reference("schemas", import::SCHEMAS[0]);
    let responses = [
        (StatusCode::OK, answer::json_body("The records are imported.", &result, &[])),
        (StatusCode::MULTI_STATUS, answer::json_body("Some records were refused.", &result, &[])),
    ];
    let mut problems = [&answer::BODY[..], &conflicts, &[Code::ConstraintFailed, Code::BatchTooLarge]].concat();
    if !resource.transactions {
        problems.push(Code::UnsupportedHere);
    }
    let text = json!({ "schema": { "type": "string" } });
    json!({
        "tags": options.tags,
        "summary": format!("Import {}", resource.plural()),
        "description": description(options.descriptor),
        "operationId": names.import_operation_id(),
        "parameters": param::import::document(options.descriptor),
        "requestBody": {
            "description": "The file.",
            "required": true,
            "content": { "application/x-ndjson": text, "text/csv": text },
        },
        "responses": answer::with_database_problems(responses, &problems),
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
