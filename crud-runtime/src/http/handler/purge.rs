//! `DELETE {prefix}/{id}/permanent` and `DELETE {prefix}/deleted`

use axum::http::StatusCode;
use axum::response::Response;

use super::guard::{self, Precondition};
use super::reply;
use super::request::Incoming;
use super::restore::nothing_selected;
use crate::model::changes::Changes;
use crate::model::problem::Problem;
use crate::query::parse::{Selection, parse_selection};
use crate::storage::write::{Target, Work, WorkWhere};

pub(super) async fn purge(mut request: Incoming) -> Result<Response, Problem> {
    let id = request.id().await?;
    let precondition = Precondition::of(&request, request.headers(), &mut Changes::new());
    let mut sink = request.sink();
    let target = [Target::new(&id, guard::of(precondition.as_ref()))];
    let changed = request.writer().write_one(Work::Purge(&target), &mut sink).await;
    changed.map_err(|problem| guard::refusal(problem, precondition))?;
    let response = reply::json(StatusCode::OK, sink.out);
    Ok(if request.prefer().minimal { reply::minimal(StatusCode::NO_CONTENT, response) } else { response })
}

pub(super) async fn purge_many(request: Incoming) -> Result<Response, Problem> {
    let query = request.parts.uri.query().unwrap_or_default();
    let Selection::Filter(filter) = parse_selection(request.resource(), &request.caller.view, query)? else {
        return Err(nothing_selected("removed", ""));
    };
    let filter = request.caller.predicate().and(filter);
    let deleted = request.writer().write_where(WorkWhere::Purge, &filter).await?;
    Ok(reply::json(StatusCode::OK, format!("{{\"deleted\":{deleted}}}")))
}
