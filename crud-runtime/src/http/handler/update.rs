//! `PUT {prefix}/{id}` and `PATCH {prefix}/{id}`

use axum::http::StatusCode;
use axum::response::Response;

use super::guard::{self, Precondition};
use super::reply;
use super::request::Incoming;
use crate::http::body::Mode;
use crate::model::problem::{FieldError, Problem};
use crate::storage::write::{Update, Work};

pub(super) async fn update(mut request: Incoming) -> Result<Response, Problem> {
    let resource = request.resource();
    let id = request.id().await?;
    let mut body = request.body(Mode::Update).await?;
    if body.id.as_ref().is_some_and(|other| *other != id) {
        let name = resource.id_column().json;
        return Err(Problem::validation([FieldError::field(name, "immutable", "must be the path's id")]));
    }
    let precondition = Precondition::of(&request, request.headers(), &mut body.changes);
    let update = [Update::new(&id, &body.changes, guard::of(precondition.as_ref()))];
    let mut sink = request.sink();
    let changed = request.writer().write_one(Work::Update(&update), &mut sink).await;
    changed.map_err(|problem| guard::refusal(problem, precondition))?;
    let response = reply::record(StatusCode::OK, sink.out);
    Ok(if request.prefer().minimal { reply::minimal(StatusCode::NO_CONTENT, response) } else { response })
}
