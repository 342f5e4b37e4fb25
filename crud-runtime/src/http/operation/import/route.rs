//! The route of imports, with its words for the document.

use axum::http::{Method, StatusCode};

use super::request;
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::json_schema::Schema;
use crate::http::openapi::name::{IMPORT_ERROR, IMPORT_RESULT};
use crate::http::openapi::problem::part_error;
use crate::http::openapi::words::{Answer, Body as DocumentBody, Words};
use crate::http::operation::create;
use crate::http::operation::route::{Body, Route, handler};
use crate::http::param;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::Code;

pub(in crate::http::operation) fn route() -> Route {
    let route =
        Route::new(Method::POST, "/import", Operation::Create, "import{many}", handler!(request::import), document);
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
fn document(resource: &DocumentedResource<'_>, _: &Route) -> Words {
    let descriptor = resource.options.descriptor;
    let result = |description| Answer::json(description, result_schema());
    let text = Schema::text;
    Words::about(format!("Import {}", resource.plural()), description(descriptor))
        .parameters(param::import::document(descriptor))
        .body(DocumentBody::new("The file.", [("application/x-ndjson", text()), ("text/csv", text())]))
        .answer(StatusCode::OK, result("The records are imported."))
        .answer(StatusCode::MULTI_STATUS, result("Some records were refused."))
        .problems(&resource.conflicts(!descriptor.offered_upserts().is_empty()))
        .problems(&[Code::ConstraintFailed, Code::BatchTooLarge])
        .problem_if(!resource.transactions, Code::UnsupportedHere)
}

fn result_schema() -> Schema {
    let line = "The line of the file that the record begins on, from 1.";
    let error = part_error("A record that was not imported.", "line", line);
    let errors = Schema::array(Schema::named(IMPORT_ERROR, error)).with("maxItems", 100);
    let result = Schema::object()
        .about("The result of an import.")
        .member("created", Schema::count().about("How many records were created."))
        .member("updated", Schema::count().about("How many had the values of `on_conflict`, and were changed."))
        .member("skipped", Schema::count().about("How many had the values of `on_conflict`, and stayed."))
        .member("failed", Schema::count().about("How many were refused."))
        .member("errors", errors.about("The first of those that were refused."));
    Schema::named(IMPORT_RESULT, result)
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
