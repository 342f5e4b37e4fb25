//! Delete, or soft delete: `DELETE {prefix}/{id}`.

use axum::http::StatusCode;
use axum::response::Response;

use super::precondition::{self, Precondition};
use super::request::ResourceRequest;
use super::response;
use crate::model::problem::Problem;
use crate::storage::decide::Intent;
use crate::storage::write::{Target, Work};

pub(super) async fn delete(mut request: ResourceRequest) -> Result<Response, Problem> {
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
