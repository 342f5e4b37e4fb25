//! Purge: `DELETE {prefix}/{id}/permanent` and `DELETE {prefix}/deleted`.

use axum::http::StatusCode;
use axum::response::Response;

use super::precondition::{self, Precondition};
use super::request::ResourceRequest;
use super::response;
use super::restore::selection_required;
use crate::model::problem::Problem;
use crate::query::parse::{Selection, parse_selection};
use crate::storage::decide::Intent;
use crate::storage::write::{Target, Work, WorkWhere};

pub(super) async fn purge(mut request: ResourceRequest) -> Result<Response, Problem> {
    let id = request.id().await?;
    let guard = Precondition::of_state_change(request.resource(), &request.identity, request.headers(), Intent::Purge);
    let mut sink = request.sink();
    let target = [Target::new(&id, precondition::as_guard(guard.as_ref()))];
    let changed = request.writer().write_one(Work::Purge(&target), &mut sink).await;
    changed.map_err(|error| precondition::problem_of(error, guard))?;
    let response = response::json(StatusCode::OK, sink.out);
    Ok(if request.prefer().minimal { response::minimal(StatusCode::NO_CONTENT, response) } else { response })
}

pub(super) async fn purge_many(request: ResourceRequest) -> Result<Response, Problem> {
    let query = request.parts.uri.query().unwrap_or_default();
    let Selection::Filter(filter) = parse_selection(
        request.resource(),
        &request.identity.view,
        request.reach(),
        query,
        request.state.limits().query,
    )?
    else {
        return Err(selection_required("remove", ""));
    };
    let filter = request.resolved(request.identity.records.predicate().and(filter)).await?;
    let deleted = request.writer().write_where(WorkWhere::Purge, &filter).await?;
    Ok(response::json(StatusCode::OK, format!("{{\"deleted\":{deleted}}}")))
}
