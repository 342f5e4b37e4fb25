//! `POST {prefix}/{id}/restore` and `POST {prefix}/restore`

use axum::http::StatusCode;
use axum::response::Response;

use super::guard::{self, Precondition};
use super::reply;
use super::request::Incoming;
use crate::http::body;
use crate::model::changes::Changes;
use crate::model::problem::{FieldError, Problem};
use crate::query::Predicate;
use crate::query::parse::{Selection, parse_selection};
use crate::storage::write::{Target, Work, WorkWhere};

pub(super) async fn restore(mut request: Incoming) -> Result<Response, Problem> {
    let id = request.id().await?;
    let mut sink = request.sink();
    let precondition = Precondition::of(&request, request.headers(), &mut Changes::new());
    let target = [Target::new(&id, guard::of(precondition.as_ref()))];
    let changed = request.writer().write_one(Work::Restore(&target), &mut sink).await;
    changed.map_err(|problem| guard::refusal(problem, precondition))?;
    let response = reply::record(StatusCode::OK, sink.out);
    Ok(if request.prefer().minimal { reply::minimal(StatusCode::NO_CONTENT, response) } else { response })
}

pub(super) async fn restore_many(mut request: Incoming) -> Result<Response, Problem> {
    let query = request.parts.uri.query().unwrap_or_default();
    let selection = parse_selection(request.resource(), &request.caller.view, query)?;
    let by_ids = request.has_body();
    let filter = match (selection, by_ids) {
        (Selection::Nothing, true) => of_ids(&mut request).await?,
        (Selection::Filter(filter), false) => filter,
        (Selection::Filter(_), true) => {
            let detail = "must not be there beside parameters that say which records are meant";
            return Err(Problem::validation([FieldError::pointer("", "value", detail)]));
        }
        (Selection::Nothing, false) => return Err(nothing_selected("restored", ", a body with `ids`")),
    };
    let filter = request.caller.predicate().and(filter);
    let restored = request.writer().write_where(WorkWhere::Restore, &filter).await?;
    Ok(reply::json(StatusCode::OK, format!("{{\"restored\":{restored}}}")))
}

/// How many ids a body names, where the resource does not say it for batches.
const MAX_IDS: usize = 1000;

async fn of_ids(request: &mut Incoming) -> Result<Predicate, Problem> {
    let resource = request.resource();
    let most = request.mounted.options().batch.map_or(MAX_IDS, |batch| batch.max_size as usize);
    let limit = request.state.limits().body;
    let bytes = request.json(limit).await?;
    let (mut values, mut problems) = (Vec::new(), Vec::new());
    for (index, id) in body::batch::ids(resource, &bytes, most)?.into_iter().enumerate() {
        match id {
            Ok(id) => values.push(id),
            Err(problem) => problems.push((index, problem)),
        }
    }
    if problems.is_empty() {
        Ok(Predicate::In { column: resource.id, negated: false, values })
    } else {
        Err(Problem::of_items(problems))
    }
}

/// A request to change many records that does not say which.
pub(super) fn nothing_selected(what: &str, or: &str) -> Problem {
    let detail = format!("say which records are to be {what}: filters{or} or `all=true`");
    Problem::validation([FieldError::parameter("all", "required", detail)])
}
