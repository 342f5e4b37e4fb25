//! `DELETE {prefix}/{id}`

use axum::http::StatusCode;
use axum::response::Response;

use super::guard::{self, Precondition};
use super::reply;
use super::request::Incoming;
use crate::model::changes::Changes;
use crate::model::problem::Problem;
use crate::storage::write::{Target, Work};

pub(super) async fn delete(mut request: Incoming) -> Result<Response, Problem> {
    let resource = request.resource();
    let id = request.id().await?;
    let precondition = Precondition::of(&request, request.headers(), &mut Changes::new());
    let mut sink = request.sink();
    let target = [Target::new(&id, guard::of(precondition.as_ref()))];
    let work = if resource.soft_delete.is_some() { Work::SoftDelete(&target) } else { Work::Delete(&target) };
    let changed = request.writer().write_one(work, &mut sink).await;
    changed.map_err(|problem| guard::refusal(problem, precondition))?;
    let response = reply::json(StatusCode::OK, sink.out);
    Ok(if request.prefer().minimal { reply::minimal(StatusCode::NO_CONTENT, response) } else { response })
}
