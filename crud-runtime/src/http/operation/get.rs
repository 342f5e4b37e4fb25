//! Get: `GET {prefix}/{id}`.

use axum::http::{Method, StatusCode};
use axum::response::Response;

use super::as_of;
use super::moves::require_known_past;
use super::route::{OperationRoute, handler};
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::operation_doc::{Answer, OperationDoc};
use crate::http::handler::{ResourceRequest, require_access, response};
use crate::http::param::header::etag;
use crate::http::param::list::EXPAND;
use crate::http::param::record;
use crate::http::render::expand::ExpandingSink;
use crate::model::descriptor::Operation;
use crate::model::problem::{Code, FieldError, Problem};
use crate::query::Scope;

/// The path of a record.
pub(super) const PATH: &str = "/{id}";

pub(super) fn route() -> OperationRoute {
    OperationRoute {
        parameters: Some(record::NAMES),
        more_access: |resource| {
            let deleted = resource.soft_delete.map(|_| ("include_deleted=true".to_owned(), Operation::Restore));
            let past = resource.audit.map(|_| ("as_of=2026-01-31T00:00:00Z".to_owned(), Operation::History));
            deleted.into_iter().chain(past).collect()
        },
        ..OperationRoute::new(Method::GET, PATH, Operation::Get, "get{one}", handler!(get), document)
    }
}

async fn get(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let resource = request.resource();
    let id = request.id().await?;
    let query = record::parse(resource, request.query(), request.state.app().now())?;
    let scope = if query.include_deleted { Scope::All } else { Scope::Active };
    if query.include_deleted {
        require_access(&request.state, &request.identity, Operation::Restore, resource)?;
    }
    if query.as_of.is_some() {
        require_access(&request.state, &request.identity, Operation::History, resource)?;
    }
    let expanded = request.expansions()?;
    let not_found = || Problem::record_not_found(resource, &id);
    let response = match query.as_of {
        Some(_) if !expanded.is_empty() => {
            let detail = "must be absent with `as_of`: related records are returned in their present state";
            return Err(Problem::validation([FieldError::parameter(EXPAND, "value", detail)]));
        }
        Some(time) => {
            require_known_past(&request)?;
            // Boxed: requests without `as_of` do not reserve memory for this future.
            let json = Box::pin(as_of::record(&request, &id, scope, time)).await?.ok_or_else(not_found)?;
            response::record(StatusCode::OK, json)
        }
        None => {
            let mut sink = ExpandingSink::new(request.sink(), &expanded);
            if !request.find(&id, scope, &mut sink).await? {
                return Err(not_found());
            }
            request.record_response(StatusCode::OK, sink).await?
        }
    };
    // The entity tag does not cover expanded records.
    if !expanded.is_empty() {
        return Ok(response);
    }
    Ok(response::unless_current(request.headers(), response))
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let options = resource.options;
    let summary = format!("Get {}", resource.singular());
    let unchanged = Answer::shared("Current", "The client's version is current.").headers(&["ETag"]);
    OperationDoc::about(summary, "The record with this key, and the entity tag of its version.")
        .parameters([etag::document_if_none_match()])
        .parameters(record::document(options))
        .answer(StatusCode::OK, resource.record_answer())
        .answer(StatusCode::NOT_MODIFIED, unchanged)
        .problems(&[Code::ValidationFailed, Code::NotFound])
        .problem_if(options.descriptor.audit.is_some(), Code::HistoryIncomplete)
}
