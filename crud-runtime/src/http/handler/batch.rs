//! `POST`, `PUT` and `DELETE {prefix}/batch`, and `POST {prefix}/batch/delete`

use std::io::Write as _;
use std::ops::Range;
use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Serialize;

use super::guard::{self, Precondition};
use super::reply;
use super::request::Incoming;
use crate::http::body;
use crate::http::body::Body;
use crate::http::body::batch;
use crate::http::body::batch::Items;
use crate::http::render;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{FieldError, Problem};
use crate::model::row::Row;
use crate::model::value::Value;
use crate::query::visibility::View;
use crate::storage::write::{Mode, Outcome, Target, Update, Work, WriteSink};

pub(super) async fn create(mut request: Incoming) -> Result<Response, Problem> {
    let (bytes, options) = request.batch().await?;
    let parsed =
        batch::items(&request.mounted, &request.caller.view, &bytes, body::Mode::Create, options.max_size as usize)?;
    let (places, bodies, bad) = sort_out(parsed);
    let records = bodies.into_iter().map(|body: Body| request.new_record(body.changes));
    let records: Vec<Vec<Value>> = records.collect::<Result<_, _>>()?;
    run(&request, "created", Work::Insert(&records), options.partial, &places, bad, |_| None).await
}

pub(super) async fn update(mut request: Incoming) -> Result<Response, Problem> {
    let (bytes, options) = request.batch().await?;
    let parsed =
        batch::items(&request.mounted, &request.caller.view, &bytes, body::Mode::Update, options.max_size as usize)?;
    let (places, mut bodies, bad) = sort_out(parsed);
    // A tag is one record's: of a batch, only what its items say is asked.
    let none = HeaderMap::new();
    let guards: Vec<Option<Arc<Precondition>>> =
        bodies.iter_mut().map(|body| Precondition::of(&request, &none, &mut body.changes)).collect();
    let updates: Vec<Update<'_>> = bodies
        .iter()
        .zip(&guards)
        .map(|(body, guard)| {
            Update::new(body.id.as_ref().unwrap_or(&Value::Null), &body.changes, guard::of(guard.as_ref()))
        })
        .collect();
    let refusal = |index: usize| guards.get(index)?.as_deref().map(Precondition::refusal);
    run(&request, "updated", Work::Update(&updates), options.partial, &places, bad, refusal).await
}

pub(super) async fn delete(mut request: Incoming) -> Result<Response, Problem> {
    let resource = request.resource();
    let (bytes, options) = request.batch().await?;
    let parsed = batch::ids(resource, &bytes, options.max_size as usize)?;
    let (places, ids, bad) = sort_out(parsed);
    let none = HeaderMap::new();
    let guards: Vec<Option<Arc<Precondition>>> =
        ids.iter().map(|_| Precondition::of(&request, &none, &mut Changes::new())).collect();
    let targets: Vec<Target<'_>> =
        ids.iter().zip(&guards).map(|(id, guard)| Target::new(id, guard::of(guard.as_ref()))).collect();
    let work = if resource.soft_delete.is_some() { Work::SoftDelete(&targets) } else { Work::Delete(&targets) };
    let refusal = |index: usize| guards.get(index)?.as_deref().map(Precondition::refusal);
    run(&request, "deleted", work, options.partial, &places, bad, refusal).await
}

/// The indexes of good items, the items, and what is wrong with the others.
type SortedOut<T> = (Vec<usize>, Vec<T>, Vec<(usize, Problem)>);

/// Parts the good items from the bad ones.
fn sort_out<T>(items: Items<T>) -> SortedOut<T> {
    let (mut places, mut good, mut bad) =
        (Vec::with_capacity(items.len()), Vec::with_capacity(items.len()), Vec::new());
    for (index, item) in items.into_iter().enumerate() {
        match item {
            Ok(item) => {
                places.push(index);
                good.push(item);
            }
            Err(problem) => bad.push((index, problem)),
        }
    }
    (places, good, bad)
}

/// Does the work and answers.
///
/// `places`: the index in the batch of each change; `bad`: the items that did not get so far; `refusal`: why a
/// change was refused by its guard.
async fn run(
    request: &Incoming,
    verb: &str,
    work: Work<'_>,
    partial: bool,
    places: &[usize],
    mut bad: Vec<(usize, Problem)>,
    refusal: impl Fn(usize) -> Option<Problem>,
) -> Result<Response, Problem> {
    let changer = request.changer();
    if !partial {
        changer.check_atomic(places.len() + bad.len())?;
    }
    let mut sink = Records::new(request, work.len());
    let mode = match (partial, bad.is_empty()) {
        (true, _) => Mode::Partial,
        (false, true) => Mode::Atomic,
        // Nothing will happen, but the client is to know of every bad item at once.
        (false, false) => Mode::Rehearsal,
    };
    let outcomes = changer.many(work, mode, &mut sink).await?;
    let mut done = 0_usize;
    for (change, outcome) in outcomes.into_iter().enumerate() {
        let refusal = if matches!(outcome, Outcome::Refused) { refusal(change) } else { None };
        match outcome {
            Outcome::Done => done += 1,
            outcome => bad.push((places[change], refusal.unwrap_or_else(|| changer.problem(work, change, outcome)))),
        }
    }
    bad.sort_by_key(|(index, _)| *index);
    if !bad.is_empty() && !partial {
        return Err(Problem::of_items(bad));
    }
    let status = if bad.is_empty() { StatusCode::OK } else { StatusCode::MULTI_STATUS };
    let mut out = Vec::with_capacity(sink.out.len() + 64);
    // Writing to memory does not fail.
    let _ = write!(out, "{{\"{verb}\":{done},");
    if partial {
        let _ = write!(out, "\"failed\":{},", bad.len());
    }
    out.extend_from_slice(b"\"items\":[");
    sink.write_to(&mut out);
    out.push(b']');
    if partial {
        let errors: Vec<ItemError<'_>> = bad.iter().map(ItemError::of).collect();
        out.extend_from_slice(b",\"errors\":");
        drop(serde_json::to_writer(&mut out, &errors));
    }
    out.push(b'}');
    Ok(reply::json(status, out))
}

/// Renders the records of changes, which come in any order.
struct Records {
    resource: &'static Descriptor,
    view: View,
    out: Vec<u8>,
    places: Vec<Range<usize>>,
}

impl Records {
    fn new(request: &Incoming, changes: usize) -> Self {
        let (resource, view) = (request.resource(), request.caller.view.clone());
        Self { resource, view, out: Vec::with_capacity(256 * changes), places: vec![0..0; changes] }
    }

    /// The records in the order of their changes, between commas.
    fn write_to(&self, out: &mut Vec<u8>) {
        let mut first = true;
        for place in self.places.iter().filter(|place| !place.is_empty()) {
            if !std::mem::take(&mut first) {
                out.push(b',');
            }
            out.extend_from_slice(&self.out[place.clone()]);
        }
    }
}

impl WriteSink for Records {
    fn record(&mut self, index: usize, row: &dyn Row) -> Result<(), AdapterError> {
        let start = self.out.len();
        render::write_record(&mut self.out, self.resource, &self.view, row)?;
        self.places[index] = start..self.out.len();
        Ok(())
    }
}

/// What is wrong with an item of a batch whose other items stand.
#[derive(Serialize)]
struct ItemError<'a> {
    index: usize,
    status: u16,
    code: &'static str,
    detail: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [FieldError],
}

impl<'a> ItemError<'a> {
    fn of((index, problem): &'a (usize, Problem)) -> Self {
        let code = problem.code();
        Self {
            index: *index,
            status: code.status().as_u16(),
            code: code.as_str(),
            detail: problem.detail(),
            errors: problem.errors(),
        }
    }
}
