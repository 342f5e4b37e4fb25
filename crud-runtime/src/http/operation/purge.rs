//! Purge: `DELETE {prefix}/{id}/permanent` and `DELETE {prefix}/deleted`.

use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde_json::{Value as Json, json};

use super::restore::selection_required;
use super::route::Route;
use crate::http::handler::precondition::{self, Precondition};
use crate::http::handler::{ResourceRequest, response};
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::reference::reference;
use crate::http::openapi::{deletion, response as answer, wording};
use crate::http::param;
use crate::http::param::list::{Purpose, Selection, parse_selection};
use crate::model::descriptor::Operation;
use crate::model::problem::{Code, Problem};
use crate::storage::decide::Intent;
use crate::storage::write::{Target, Work, WorkWhere};

pub(super) fn route() -> Route {
    Route::new(Method::DELETE, "/{id}/permanent", Operation::Purge, |request| Box::pin(purge(request)), document)
}

pub(super) fn route_of_many() -> Route {
    Route {
        parameters: None,
        ..Route::new(
            Method::DELETE,
            "/deleted",
            Operation::PurgeMany,
            |request| Box::pin(purge_many(request)),
            document_many,
        )
    }
}

async fn purge(mut request: ResourceRequest) -> Result<Response, Problem> {
    let id = request.id().await?;
    let guard = Precondition::of_state_change(request.resource(), &request.identity, request.headers(), Intent::Purge);
    let mut sink = request.sink();
    let target = [Target::new(&id, precondition::as_guard(guard.as_ref()))];
    let changed = request.writer().write_one(Work::Purge(&target), &mut sink).await;
    changed.map_err(|error| precondition::problem_of(error, guard))?;
    let response = response::json(StatusCode::OK, sink.out);
    Ok(if request.prefer().minimal { response::minimal(StatusCode::NO_CONTENT, response) } else { response })
}

async fn purge_many(request: ResourceRequest) -> Result<Response, Problem> {
    let Selection::Filter(filter) = parse_selection(request.list_context(Purpose::Selection), request.query())? else {
        return Err(selection_required("remove", ""));
    };
    let filter = request.resolved(request.identity.records.predicate().and(filter)).await?;
    let deleted = request.writer().write_where(WorkWhere::Purge, &filter).await?;
    Ok(response::json(StatusCode::OK, format!("{{\"deleted\":{deleted}}}")))
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &Route) -> Json {
    let DocumentedResource { options, names, .. } = resource;
    let record = reference("schemas", &names.record());
    json!({
        "tags": options.tags,
        "summary": format!("Permanently remove {}", wording::with_article(options.descriptor.name)),
        "description": "Permanently removes a deleted record.",
        "operationId": names.operation_id(Operation::Purge),
        "parameters": [reference("parameters", "IfMatch"), reference("parameters", "PreferChange")],
        "responses": answer::with_database_problems(
            [
                (StatusCode::OK, answer::json_body("The removed record.", &record, &[])),
                (StatusCode::NO_CONTENT, answer::empty("The record is removed.", &["Preference-Applied"])),
            ],
            &[
                &[Code::ValidationFailed, Code::NotFound, Code::NotDeleted, Code::PreconditionFailed],
                kept_problem(resource),
            ]
            .concat(),
        ),
    })
}

fn document_many(resource: &DocumentedResource<'_>, _: &Route) -> Json {
    let DocumentedResource { options, names, .. } = resource;
    json!({
        "tags": options.tags,
        "summary": format!("Permanently remove {}", resource.plural()),
        "description": format!(
            "Permanently removes the deleted records that satisfy the filters, or all of them. All are removed, or none.{}",
            deletion::several_records(resource)
        ),
        "operationId": names.operation_id(Operation::PurgeMany),
        "parameters": param::list::document(options, Purpose::Selection, &names.condition()),
        "responses": answer::with_database_problems(
            [(StatusCode::OK, answer::json_body("The number of records.", &reference("schemas", deletion::SCHEMAS[1]), &[]))],
            &[&[Code::ValidationFailed], kept_problem(resource), deletion::several_records_problem(resource)].concat(),
        ),
    })
}

/// The problem of a record that others keep.
fn kept_problem(resource: &DocumentedResource<'_>) -> &'static [Code] {
    if resource.is_kept { &[Code::Referenced] } else { &[] }
}
