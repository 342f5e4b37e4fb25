//! Upsert: `POST {prefix}?on_conflict=sku` and `PUT {prefix}/{id}?allow_missing=true`.

use axum::http::header;
use axum::response::Response;

use super::written::{CreatedSink, check_id, updated};
use crate::http::body::{self, BodyKind, BodyRules};
use crate::http::handler::operation_override::OperationOverrides;
use crate::http::handler::precondition::{self, Precondition};
use crate::http::handler::{ResourceRequest, require_access};
use crate::http::param::header::etag::EtagCondition;
use crate::http::param::upsert::Target;
use crate::http::render::expand::ExpandingSink;
use crate::model::changes::Changes;
use crate::model::descriptor::Operation;
use crate::model::key::Key;
use crate::model::problem::{Code, Problem};
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::storage::write::Mode;
use crate::store::writer::no_sink::NoSink;
use crate::store::writer::upsert::{Done, OnConflict, Upsert, unique_of};

/// Creates a record, or changes the one that has its unique values.
pub(super) async fn post(mut request: Box<ResourceRequest>, target: Target) -> Result<Response, Problem> {
    let expand = request.expansions()?;
    require_access(&request.state, &request.identity, Operation::Update, request.resource())?;
    let bytes = request.json_body(request.state.limits().body).await?;
    let rules = request.body_rules(BodyKind::Create)?;
    let (new, refusal) = body::parse_kept(rules, |rules| body::parse(&request.mounted, rules, &bytes))?;
    // An upsert changes only the fields of the body in a record that exists.
    let present = body::parse(&request.mounted, &request.body_rules(BodyKind::Update)?, &bytes)?;
    let record = request.new_record(new.changes);
    let key = target.unique.columns.iter().map(|column| record[*column].clone()).collect();
    let mut sink = CreatedSink::new(&request, ExpandingSink::new(request.sink(), &expand));
    let handler =
        OperationOverrides::find(&request.state, request.resource(), Operation::Update).filter(|_| !target.ignore);
    let (ignore, record) = (target.ignore || handler.is_some(), refusal.map_or(Ok(record), Err));
    let done = run(&request, &Target { ignore, ..target }, key, record, present.changes, &mut sink).await?;
    match (done, handler.zip(sink.key.clone())) {
        (Done::Created, _) => sink.created(&request).await,
        (Done::Found, None) => updated(&request, sink.json).await,
        (Done::Found, Some((handler, key))) => handler.respond(Operation::Update, request.updating(key, bytes)).await,
    }
}

/// Changes the record of a key, or creates it.
pub(super) async fn put(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let id = request.id().await?;
    let expand = request.expansions()?;
    let resource = request.resource();
    require_access(&request.state, &request.identity, Operation::Create, resource)?;
    let handler = OperationOverrides::find(&request.state, resource, Operation::Create);
    if let Some(handler) = &handler
        && !exists(&request, &id).await?
    {
        if request.headers().contains_key(header::IF_MATCH) {
            return Err(nothing_to_match());
        }
        return handler.respond(Operation::Create, request.creating(id)).await;
    }
    let bytes = request.json_body(request.state.limits().body).await?;
    let present = body::parse(&request.mounted, &request.body_rules(BodyKind::Update)?, &bytes)?;
    check_id(&request, &id, &present)?;
    let rules = BodyRules { key: Some(&id), ..request.body_rules(BodyKind::Create)? };
    let new = body::parse(&request.mounted, &rules, &bytes);
    let record = match handler {
        // The record was removed since.
        Some(_) => Err(Problem::record_not_found(resource, &id)),
        None => new.map(|new| request.new_record(new.changes)),
    };
    let Some(unique) = unique_of(resource, resource.key()) else {
        return Err(Problem::internal(format!("the key of {} is not unique", resource.name)));
    };
    let mut sink = CreatedSink::at(&request, ExpandingSink::new(request.sink(), &expand));
    let target = Target { unique, ignore: false };
    match run(&request, &target, id.clone().into_values(), record, present.changes, &mut sink).await? {
        Done::Created => sink.created(&request).await,
        Done::Found => updated(&request, sink.json).await,
    }
}

/// Whether there is a record with this key, of any tenant, visible to the sender or not: a taken key is taken for every
/// sender.
async fn exists(request: &ResourceRequest, id: &Key) -> Result<bool, Problem> {
    let found = request.adapter().get(request.resource(), id, None, &mut NoSink).await;
    found.map_err(|error| request.problem(error))
}

fn nothing_to_match() -> Problem {
    Problem::new(Code::PreconditionFailed, "there is no record that If-Match could match")
}

async fn run(
    request: &ResourceRequest,
    target: &Target,
    key: Vec<Value>,
    record: Result<Vec<Value>, Problem>,
    mut changes: Changes,
    sink: &mut dyn RowSink,
) -> Result<Done, Problem> {
    let headers = request.headers();
    let guard = Precondition::new(request.resource(), &request.identity, headers, &mut changes);
    let on_conflict = if matches!(EtagCondition::if_none_match(headers), Some(EtagCondition::Any)) {
        OnConflict::Refuse
    } else if target.ignore {
        OnConflict::Ignore
    } else {
        OnConflict::Update(&changes, precondition::as_guard(guard.as_ref()))
    };
    let record = if headers.contains_key(header::IF_MATCH) { Err(nothing_to_match()) } else { record };
    let records = &request.identity.records;
    let may_restore = request.identity.sees_deleted;
    let upsert = Upsert { unique: &target.unique, key, record, on_conflict, records, may_restore, mode: Mode::Atomic };
    let done = request.writer().upsert(upsert, sink).await;
    done.map_err(|error| precondition::problem_of(error, guard))
}
