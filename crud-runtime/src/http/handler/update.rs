//! Update: `PUT {prefix}/{id}` and `PATCH {prefix}/{id}`.

use axum::http::StatusCode;
use axum::response::Response;

use super::precondition::{self, Precondition};
use super::request::ResourceRequest;
use super::response;
use crate::http::body::BodyKind;
use crate::model::problem::{FieldError, Problem};
use crate::storage::write::{Update, Work};

pub(super) async fn update(mut request: ResourceRequest) -> Result<Response, Problem> {
    let resource = request.resource();
    let id = request.id().await?;
    let mut body = request.record_body(BodyKind::Update).await?;
    if body.id.as_ref().is_some_and(|other| *other != id) {
        let name = resource.id_column().json;
        return Err(Problem::validation([FieldError::field(name, "immutable", "must equal the id in the path")]));
    }
    let guard = Precondition::new(request.resource(), &request.identity, request.headers(), &mut body.changes);
    let update = [Update::new(&id, &body.changes, precondition::as_guard(guard.as_ref()))];
    let mut sink = request.sink();
    let changed = request.writer().write_one(Work::Update(&update), &mut sink).await;
    changed.map_err(|error| precondition::problem_of(error, guard))?;
    let response = response::record(StatusCode::OK, sink.out);
    Ok(if request.prefer().minimal { response::minimal(StatusCode::NO_CONTENT, response) } else { response })
}
