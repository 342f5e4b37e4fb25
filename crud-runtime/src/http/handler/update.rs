//! Update: `PUT {prefix}/{id}` and `PATCH {prefix}/{id}`.

use axum::http::StatusCode;
use axum::response::Response;

use super::precondition::{self, Precondition};
use super::request::ResourceRequest;
use super::response;
use crate::http::body::{BodyKind, RecordBody};
use crate::http::expand::ExpandingSink;
use crate::model::problem::{FieldError, Problem};
use crate::model::value::Value;
use crate::storage::write::{Update, Work};

pub(super) async fn update(mut request: ResourceRequest) -> Result<Response, Problem> {
    let id = request.id().await?;
    let expand = request.expansions()?;
    let mut body = request.record_body(BodyKind::Update).await?;
    check_id(&request, &id, &body)?;
    let guard = Precondition::new(request.resource(), &request.identity, request.headers(), &mut body.changes);
    let update = [Update::new(&id, &body.changes, precondition::as_guard(guard.as_ref()))];
    let mut sink = ExpandingSink::new(request.sink(), &expand);
    let changed = request.writer().write_one(Work::Update(&update), &mut sink).await;
    changed.map_err(|error| precondition::problem_of(error, guard))?;
    updated(&request, sink).await
}

/// The response with the updated record.
pub(super) async fn updated(request: &ResourceRequest, sink: ExpandingSink<'_>) -> Result<Response, Problem> {
    let response = request.record_response(StatusCode::OK, sink).await?;
    Ok(if request.prefer().minimal { response::minimal(StatusCode::NO_CONTENT, response) } else { response })
}

/// Refuses a body with another key than the path's.
pub(super) fn check_id(request: &ResourceRequest, id: &Value, body: &RecordBody) -> Result<(), Problem> {
    if body.id.as_ref().is_none_or(|other| other == id) {
        return Ok(());
    }
    let name = request.resource().id_column().json;
    Err(Problem::validation([FieldError::field(name, "immutable", "must equal the id in the path")]))
}
