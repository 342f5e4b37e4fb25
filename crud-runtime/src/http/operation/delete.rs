//! Delete, or soft delete: `DELETE {prefix}/{id}`.

use axum::http::{Method, StatusCode};
use axum::response::Response;

use super::get;
use super::route::{OperationRoute, handler};
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::operation_doc::{Answer, OperationDoc};
use crate::http::handler::precondition::{self, Precondition};
use crate::http::handler::{ResourceRequest, response};
use crate::http::param::header::{etag, prefer};
use crate::model::descriptor::Operation;
use crate::model::problem::{Code, Problem};
use crate::storage::decide::Intent;
use crate::storage::write::{Target, Work};

pub(super) fn route() -> OperationRoute {
    OperationRoute::new(Method::DELETE, get::PATH, Operation::Delete, "delete{one}", handler!(delete), document)
}

async fn delete(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let is_soft = request.resource().soft_delete.is_some();
    let json = change_state(&mut request, if is_soft { Intent::SoftDelete } else { Intent::Delete }).await?;
    Ok(response::of_change(request.headers(), StatusCode::NO_CONTENT, response::json(StatusCode::OK, json)))
}

/// Deletes, restores or purges the record of the request's key, and returns its JSON.
pub(super) async fn change_state(request: &mut ResourceRequest, intent: Intent<'_>) -> Result<Vec<u8>, Problem> {
    let id = request.id().await?;
    let guard = Precondition::of_state_change(request.resource(), &request.identity, request.headers(), intent);
    let target = [Target::new(&id, precondition::as_guard(guard.as_ref()))];
    let work = match intent {
        Intent::SoftDelete => Work::SoftDelete(&target),
        Intent::Restore => Work::Restore(&target),
        Intent::Purge => Work::Purge(&target),
        Intent::Delete | Intent::Update(_) => Work::Delete(&target),
    };
    let mut sink = request.sink();
    let changed = request.writer().write_one(work, &mut sink).await;
    changed.map_err(|error| precondition::problem_of(error, guard))?;
    Ok(sink.out)
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let options = resource.options;
    let soft = options.descriptor.soft_delete.is_some();
    let (answer, description) = if soft {
        ("The record, marked as deleted.", "Marks the record as deleted: lists leave it out from then on.")
    } else {
        ("The removed record.", "Removes the record.")
    };
    let record = Answer::json(answer, resource.record());
    OperationDoc::about(format!("Delete {}", resource.singular()), description)
        .parameters([etag::document_if_match(), prefer::document_change()])
        .answer(StatusCode::OK, record)
        .answer(
            StatusCode::NO_CONTENT,
            Answer::shared("Deleted", "The record is deleted.").headers(&["Preference-Applied"]),
        )
        .problems(&[Code::ValidationFailed, Code::NotFound, Code::PreconditionFailed])
        .problem_if(!soft && resource.is_kept, Code::Referenced)
        .problem_if(resource.keeps_role(), Code::LastMember)
}
