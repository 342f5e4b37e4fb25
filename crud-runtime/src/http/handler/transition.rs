//! Transitions: `POST {prefix}/{id}/publish`.

use axum::http::StatusCode;
use axum::response::Response;

use super::authorization;
use super::precondition::{self, Precondition};
use super::request::ResourceRequest;
use super::response;
use super::update;
use crate::http::body::{BodyKind, RecordBody};
use crate::model::changes::Changes;
use crate::model::descriptor::Transition;
use crate::model::problem::{FieldError, Problem};
use crate::model::value::is_same;
use crate::storage::write::{Update, Work};
use crate::store::record_writer::RecordWriter;
use crate::store::state_change::StateChange;

/// Makes a transition, and sets the other fields in the body, which needs the access of an update too.
pub(super) async fn run(
    mut request: ResourceRequest,
    route: (usize, &'static Transition),
) -> Result<Response, Problem> {
    let id = request.id().await?;
    let mut body = if request.has_body() {
        request.record_body(BodyKind::Update).await?
    } else {
        RecordBody { changes: Changes::new(), id: None }
    };
    update::check_id(&request, &id, &body)?;
    let (column, transition) = route;
    let to = (transition.to)();
    if body.changes.take(column).is_some_and(|state| !is_same(&state, &to)) {
        let name = request.resource().columns[column].json;
        let detail = format!("must be `{to}`, which this route sets, or be absent");
        return Err(Problem::validation([FieldError::field(name, "transition", detail)]));
    }
    if body.changes.iter().next().is_some() {
        authorization::require_access(&request.state, &request.identity, request.resource().access.update)?;
    }
    body.changes.set(column, to);
    let guard = Precondition::new(request.resource(), &request.identity, request.headers(), &mut body.changes);
    let update = [Update::new(&id, &body.changes, precondition::as_guard(guard.as_ref()))];
    let mut sink = request.sink();
    let state_change = StateChange { checks_access: request.state.is_secured(), route: Some(route) };
    let writer = RecordWriter { state_change, ..request.writer() };
    let changed = writer.write_one(Work::Update(&update), &mut sink).await;
    changed.map_err(|error| precondition::problem_of(error, guard))?;
    let response = response::record(StatusCode::OK, sink.out);
    Ok(if request.prefer().minimal { response::minimal(StatusCode::NO_CONTENT, response) } else { response })
}
