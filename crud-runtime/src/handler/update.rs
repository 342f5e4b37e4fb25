//! `PUT {prefix}/{id}` and `PATCH {prefix}/{id}`

use axum::http::StatusCode;
use axum::response::Response;

use super::guard::Precondition;
use super::reply;
use super::request::Incoming;
use crate::adapter::{Guard, Outcome, Update};
use crate::body::Mode;
use crate::error::{FieldError, Problem};
use crate::record;
use crate::render::JsonSink;

pub(super) async fn update(mut request: Incoming) -> Result<Response, Problem> {
    let resource = request.resource();
    let id = request.id().await?;
    let mut body = request.body(Mode::Update).await?;
    if body.id.as_ref().is_some_and(|other| *other != id) {
        let name = resource.id_column().json;
        return Err(Problem::validation([FieldError::field(name, "immutable", "must be the path's id")]));
    }
    let precondition = Precondition::of(resource, request.headers(), &mut body.changes);
    let touch = record::touch(resource);
    let guard = precondition.as_ref().map(|precondition| precondition as &dyn Guard);
    let update = Update::new(&id, &body.changes, &touch, guard);
    let mut sink = JsonSink::new(resource, Vec::with_capacity(256));
    let outcome =
        request.adapter().update(resource, update, &mut sink).await.map_err(|error| request.problem(error))?;
    match (outcome, precondition) {
        (Outcome::Missing, _) => Err(Problem::record_not_found(resource, &id)),
        (Outcome::Refused, Some(precondition)) => Err(precondition.into_refusal()),
        (Outcome::Refused, None) => Err(Problem::internal("an adapter refused without a guard")),
        (Outcome::Done, _) => {
            let response = reply::record(StatusCode::OK, sink.out);
            Ok(if request.prefer().minimal { reply::minimal(StatusCode::NO_CONTENT, response) } else { response })
        }
    }
}
