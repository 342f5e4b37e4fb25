//! Search: `POST {prefix}/search`, the list by a body.

use axum::http::{Method, StatusCode};
use serde_json::{Value as Json, json};

use super::list::list;
use super::route::{Body, Route};
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::reference::reference;
use crate::http::openapi::{request, response as answer};
use crate::model::descriptor::Operation;

pub(super) fn route() -> Route {
    Route {
        is_of: |resource| resource.has_filters() || resource.search.is_some(),
        parameters: None,
        body: Body::Json,
        ..Route::new(Method::POST, "/search", Operation::List, |request| Box::pin(list(request)), document)
    }
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &Route) -> Json {
    let DocumentedResource { options, names, .. } = resource;
    let schema = if options.pagination.is_some() {
        reference("schemas", &names.list())
    } else {
        json!({ "type": "array", "items": reference("schemas", &names.record()) })
    };
    json!({
        "tags": options.tags,
        "summary": format!("Search {}", resource.plural()),
        "description": "The same list as by GET, of a condition that is too long for a URL.",
        "operationId": names.search_operation_id(),
        "parameters": [reference("parameters", "PreferList")],
        "requestBody": request::body("The list.", &["application/json"], &names.search()),
        "responses": answer::with_database_problems(
            [(StatusCode::OK, answer::json_body("The records.", &schema, &["X-Total-Count", "Content-Range", "Preference-Applied"]))],
            &[&answer::BODY[..], &resource.list_problems()[..]].concat(),
        ),
    })
}
