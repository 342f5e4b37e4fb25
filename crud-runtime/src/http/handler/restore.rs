//! Restore: `POST {prefix}/{id}/restore` and `POST {prefix}/restore`.

use axum::http::StatusCode;
use axum::response::Response;

use super::precondition::{self, Precondition};
use super::request::ResourceRequest;
use super::response;
use crate::http::body;
use crate::model::problem::{FieldError, Problem};
use crate::query::Predicate;
use crate::query::parse::{Selection, parse_selection};
use crate::storage::decide::Intent;
use crate::storage::write::{Target, Work, WorkWhere};

pub(super) async fn restore(mut request: ResourceRequest) -> Result<Response, Problem> {
    let id = request.id().await?;
    let mut sink = request.sink();
    let guard =
        Precondition::of_state_change(request.resource(), &request.identity, request.headers(), Intent::Restore);
    let target = [Target::new(&id, precondition::as_guard(guard.as_ref()))];
    let changed = request.writer().write_one(Work::Restore(&target), &mut sink).await;
    changed.map_err(|error| precondition::problem_of(error, guard))?;
    let response = response::record(StatusCode::OK, sink.out);
    Ok(if request.prefer().minimal { response::minimal(StatusCode::NO_CONTENT, response) } else { response })
}

pub(super) async fn restore_many(mut request: ResourceRequest) -> Result<Response, Problem> {
    let query = request.parts.uri.query().unwrap_or_default();
    let selection = parse_selection(
        request.resource(),
        &request.identity.view,
        request.reach(),
        query,
        request.state.limits().query,
    )?;
    let by_ids = request.has_body();
    let filter = match (selection, by_ids) {
        (Selection::Nothing, true) => ids_filter(&mut request).await?,
        (Selection::Filter(filter), false) => filter,
        (Selection::Filter(_), true) => {
            let detail = "must be absent beside filters or `all`";
            return Err(Problem::validation([FieldError::pointer("", "value", detail)]));
        }
        (Selection::Nothing, false) => return Err(selection_required("restore", " or a body with `ids`")),
    };
    let filter = request.resolved(request.identity.records.predicate().and(filter)).await?;
    let restored = request.writer().write_where(WorkWhere::Restore, &filter).await?;
    Ok(response::json(StatusCode::OK, format!("{{\"restored\":{restored}}}")))
}

/// The maximum number of ids in a body, for a resource without batches.
const MAX_IDS: usize = 1000;

async fn ids_filter(request: &mut ResourceRequest) -> Result<Predicate, Problem> {
    let resource = request.resource();
    let max_ids = request.mounted.options().batch.map_or(MAX_IDS, |batch| batch.max_size as usize);
    let limit = request.state.limits().body;
    let bytes = request.json_body(limit).await?;
    let (mut values, mut problems) = (Vec::new(), Vec::new());
    for (index, id) in body::batch::ids(resource, &bytes, max_ids)?.into_iter().enumerate() {
        match id {
            Ok(id) => values.push(id),
            Err(problem) => problems.push((index, problem)),
        }
    }
    if problems.is_empty() {
        Ok(Predicate::In { column: resource.id, negated: false, values })
    } else {
        Err(Problem::from_items(problems))
    }
}

/// The problem of a bulk request without filters, ids or `all=true`.
pub(super) fn selection_required(verb: &str, or: &str) -> Problem {
    let detail = format!("must be `true`, unless filters{or} name the records to {verb}");
    Problem::validation([FieldError::parameter("all", "required", detail)])
}
