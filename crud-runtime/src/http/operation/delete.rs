//! Delete, or soft delete: `DELETE {prefix}/{id}`.

use axum::http::{Method, StatusCode};
use axum::response::Response;

use super::get;
use super::route::Route;
use crate::http::handler::precondition::{self, Precondition};
use crate::http::handler::{ResourceRequest, response};
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::json_schema::Schema;
use crate::http::openapi::wording;
use crate::http::openapi::words::{Answer, Words};
use crate::model::descriptor::Operation;
use crate::model::problem::{Code, Problem};
use crate::storage::decide::Intent;
use crate::storage::write::{Target, Work};

pub(super) fn route() -> Route {
    Route::new(
        Method::DELETE,
        get::PATH,
        Operation::Delete,
        "delete{one}",
        |request| Box::pin(delete(request)),
        document,
    )
}

async fn delete(mut request: ResourceRequest) -> Result<Response, Problem> {
    let resource = request.resource();
    let id = request.id().await?;
    let intent = if resource.soft_delete.is_some() { Intent::SoftDelete } else { Intent::Delete };
    let guard = Precondition::of_state_change(resource, &request.identity, request.headers(), intent);
    let mut sink = request.sink();
    let target = [Target::new(&id, precondition::as_guard(guard.as_ref()))];
    let work = if resource.soft_delete.is_some() { Work::SoftDelete(&target) } else { Work::Delete(&target) };
    let changed = request.writer().write_one(work, &mut sink).await;
    changed.map_err(|error| precondition::problem_of(error, guard))?;
    let response = response::json(StatusCode::OK, sink.out);
    Ok(if request.prefer().minimal { response::minimal(StatusCode::NO_CONTENT, response) } else { response })
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &Route) -> Words {
    let DocumentedResource { options, names, .. } = resource;
    let soft = options.descriptor.soft_delete.is_some();
    let (answer, description) = if soft {
        ("The record, marked as deleted.", "Marks the record as deleted: lists leave it out from then on.")
    } else {
        ("The removed record.", "Removes the record.")
    };
    let mut problems = vec![Code::ValidationFailed, Code::NotFound, Code::PreconditionFailed];
    if !soft && resource.is_kept {
        problems.push(Code::Referenced);
    }
    let record = Answer::json(answer, Schema::reference(&names.record()));
    Words::about(format!("Delete {}", wording::with_article(options.descriptor.name)), description)
        .shared(&["IfMatch", "PreferChange"])
        .answer(StatusCode::OK, record)
        .answer(StatusCode::NO_CONTENT, Answer::empty("The record is deleted.").headers(&["Preference-Applied"]))
        .problems(&problems)
}
