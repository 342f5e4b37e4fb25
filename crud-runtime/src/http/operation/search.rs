//! Search: `POST {prefix}/search`, the list by a body.

use axum::http::{Method, StatusCode};

use super::list::{self, list};
use super::route::{Body, Route, handler};
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::json_schema::Schema;
use crate::http::openapi::words::Words;
use crate::http::param::header::prefer;
use crate::model::descriptor::Operation;

pub(super) fn route() -> Route {
    Route {
        is_of: |resource| resource.has_filters() || resource.search.is_some(),
        parameters: None,
        body: Body::Json,
        ..Route::new(Method::POST, "/search", Operation::List, "search{many}", handler!(list), document)
    }
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &Route) -> Words {
    let description = "The same list as by GET, of a condition that is too long for a URL.";
    Words::about(format!("Search {}", resource.plural()), description)
        .parameters([prefer::document_list()])
        .json("The list.", Schema::reference(&resource.names.schema("Search")))
        .answer(StatusCode::OK, list::answer(resource).headers(&list::HEADERS))
        .problems(&resource.list_problems())
}
