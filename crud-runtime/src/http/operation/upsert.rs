//! Upsert: `POST {prefix}?on_conflict=sku` and `PUT {prefix}/{id}?allow_missing=true`.

use axum::http::{Method, header};
use axum::response::Response;
use crud_shared::spelling;

use crate::http::body::{self, BodyKind, BodyRules};
use crate::http::etag::EtagCondition;
use crate::http::expand::ExpandingSink;
use crate::http::handler::precondition::{self, Precondition};
use crate::http::handler::written::{CreatedSink, check_id, updated};
use crate::http::handler::{ResourceRequest, require_access};
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::row::{Row, RowSink};
use crate::model::scalar;
use crate::model::stored_value::stored_value;
use crate::model::value::Value;
use crate::query::parse::pairs;
use crate::storage::uniques::Unique;
use crate::storage::write::Mode;
use crate::store::no_sink::NoSink;
use crate::store::upsert::{Done, OnConflict, Upsert, unique_of};

/// Unique values by which a create is an upsert.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) unique: Unique,
    /// Whether a record that has them stays as it is.
    pub(crate) ignore: bool,
}

/// The conflict target in a create's query string, if it has one.
///
/// # Errors
/// `validation_failed` for fields that are not those of an upsert.
pub(super) fn target(request: &ResourceRequest) -> Result<Option<Target>, Problem> {
    let Some(query) = request.parts.uri.query() else { return Ok(None) };
    let (resource, mut errors) = (request.resource(), FieldErrors::default());
    let groups = resource.offered_upserts();
    let legal = || {
        let names: Vec<String> = groups.iter().map(|columns| resource.names_of(columns)).collect();
        spelling::alternatives(names.iter().map(String::as_str))
    };
    let (mut target, mut ignore) = (None, None);
    for (name, value) in pairs(query) {
        let (Ok(name), Ok(value)) = (name, value) else { continue };
        let mut reject = |code, detail: String| errors.push(FieldError::parameter(&*name, code, detail));
        match &*name {
            "on_conflict" | "conflict" if groups.is_empty() => {
                reject("unknown_parameter", format!("is not a parameter: {} has no upsert", resource.name));
            }
            "on_conflict" if target.is_some() => reject("duplicate", "must be given only once".to_owned()),
            "on_conflict" => match find(resource, groups, &value) {
                Some(unique) => target = Some(unique),
                None => reject("value", format!("must be {}", legal())),
            },
            "conflict" if ignore.is_some() => reject("duplicate", "must be given only once".to_owned()),
            "conflict" => match &*value {
                "update" => ignore = Some(false),
                "ignore" => ignore = Some(true),
                _ => reject("value", "must be `update` or `ignore`".to_owned()),
            },
            _ => {}
        }
    }
    if ignore.is_some() && target.is_none() && !groups.is_empty() {
        errors.push(FieldError::parameter("conflict", "value", format!("needs `on_conflict`: {}", legal())));
    }
    errors.into_result(target.map(|unique| Target { unique, ignore: ignore.unwrap_or(false) }))
}

/// The unique columns of the fields that a value names.
pub(crate) fn find(resource: &'static Descriptor, groups: &[&[usize]], value: &str) -> Option<Unique> {
    let given: Vec<&str> = value.split(',').collect();
    let is = |columns: &&&[usize]| {
        columns.len() == given.len() && columns.iter().all(|column| given.contains(&resource.columns[*column].json))
    };
    groups.iter().find(is).and_then(|columns| unique_of(resource, columns))
}

/// Whether an update may create its record.
///
/// # Errors
/// `validation_failed` where it cannot.
pub(super) fn allows_missing(request: &ResourceRequest) -> Result<bool, Problem> {
    let Some(query) = request.parts.uri.query() else { return Ok(false) };
    let reject = |code, detail: &str| Problem::validation([FieldError::parameter("allow_missing", code, detail)]);
    let mut given = pairs(query).filter(|(name, _)| name.as_deref() == Ok("allow_missing")).map(|(_, value)| value);
    let Some(value) = given.next() else { return Ok(false) };
    if given.next().is_some() {
        return Err(reject("duplicate", "must be given only once"));
    }
    if !request.resource().creates_by_put() {
        let detail = format!("is not a parameter: {} has no upsert by its key", request.resource().name);
        return Err(reject("unknown_parameter", &detail));
    }
    if request.parts.method != Method::PUT {
        return Err(reject("value", "is for PUT: a PATCH changes a record that is there"));
    }
    scalar::boolean(&value.unwrap_or_default()).map_err(|error| reject("type", error.message()))
}

/// Creates a record, or changes the one that has its unique values.
pub(super) async fn post(mut request: ResourceRequest, target: Target) -> Result<Response, Problem> {
    let expand = request.expansions()?;
    require_access(&request.state, &request.identity, request.resource().access.update)?;
    let bytes = request.json_body(request.state.limits().body).await?;
    let rules = request.body_rules(BodyKind::Create)?;
    let (new, refusal) = body::parse_kept(rules, |rules| body::parse(&request.mounted, rules, &bytes))?;
    // Of the holder, only what is in the body changes.
    let present = body::parse(&request.mounted, &request.body_rules(BodyKind::Update)?, &bytes)?;
    let record = request.new_record(new.changes);
    let key = target.unique.columns.iter().map(|column| record[*column].clone()).collect();
    let sink = CreatedSink::new(&request, ExpandingSink::new(request.sink(), &expand));
    let mut sink = KeyedSink { resource: request.resource(), created: sink, key: None };
    let handler = request.state.replacement(request.resource(), Operation::Update).filter(|_| !target.ignore);
    let (ignore, record) = (target.ignore || handler.is_some(), refusal.map_or(Ok(record), Err));
    let done = run(&request, &Target { ignore, ..target }, key, record, present.changes, &mut sink).await?;
    match (done, handler.zip(sink.key)) {
        (Done::Created, _) => sink.created.created(&request).await,
        (Done::Found, None) => updated(&request, sink.created.json).await,
        (Done::Found, Some((handler, key))) => handler.respond(Operation::Update, request.updating(key, bytes)).await,
    }
}

/// Changes the record of a key, or creates it.
pub(super) async fn put(mut request: ResourceRequest) -> Result<Response, Problem> {
    let id = request.id().await?;
    let expand = request.expansions()?;
    let resource = request.resource();
    require_access(&request.state, &request.identity, resource.access.create)?;
    let handler = request.state.replacement(resource, Operation::Create);
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
        // It was removed since.
        Some(_) => Err(Problem::record_not_found(resource, &id)),
        None => new.map(|new| request.new_record(new.changes)),
    };
    let Some(unique) = unique_of(resource, &[resource.id]) else {
        return Err(Problem::internal(format!("the key of {} is not unique", resource.name)));
    };
    let mut sink = CreatedSink::at(&request, ExpandingSink::new(request.sink(), &expand));
    let target = Target { unique, ignore: false };
    match run(&request, &target, vec![id.clone()], record, present.changes, &mut sink).await? {
        Done::Created => sink.created(&request).await,
        Done::Found => updated(&request, sink.json).await,
    }
}

/// Whether there is a record with this key, whoever reaches it.
async fn exists(request: &ResourceRequest, id: &Value) -> Result<bool, Problem> {
    let found = request.adapter().get(request.resource(), id, &mut NoSink).await;
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

/// A sink of a created record that keeps the key.
struct KeyedSink<'a> {
    resource: &'static Descriptor,
    created: CreatedSink<'a>,
    key: Option<Value>,
}

impl RowSink for KeyedSink<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.key = Some(stored_value(self.resource, self.resource.id, row)?);
        self.created.row(row)
    }
}
