//! `DELETE {prefix}/{id}`

use axum::http::StatusCode;
use axum::response::Response;

use super::guard::Precondition;
use super::reply;
use super::request::Incoming;
use crate::adapter::{Delete, Guard, Outcome};
use crate::changes::Changes;
use crate::error::Problem;
use crate::render::JsonSink;

pub(super) async fn delete(mut request: Incoming) -> Result<Response, Problem> {
    let resource = request.resource();
    let id = request.id().await?;
    let precondition = Precondition::of(resource, request.headers(), &mut Changes::new());
    let guard = precondition.as_ref().map(|precondition| precondition as &dyn Guard);
    let mut sink = JsonSink::new(resource, Vec::with_capacity(256));
    let outcome = request
        .adapter()
        .delete(resource, Delete::new(&id, guard), &mut sink)
        .await
        .map_err(|error| request.problem(error))?;
    match (outcome, precondition) {
        (Outcome::Missing, _) => Err(Problem::record_not_found(resource, &id)),
        (Outcome::Refused, Some(precondition)) => Err(precondition.into_refusal()),
        (Outcome::Refused, None) => Err(Problem::internal("an adapter refused without a guard")),
        (Outcome::Done, _) => {
            let response = reply::json(StatusCode::OK, sink.out);
            Ok(if request.prefer().minimal { reply::minimal(StatusCode::NO_CONTENT, response) } else { response })
        }
    }
}
