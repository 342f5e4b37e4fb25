//! Changes of the set of records that are linked to a record.

use std::collections::HashSet;

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value as Json};

use super::MOST;
use super::set::{Linked, of_set};
use crate::http::body::batch::{IDS, valid_ids};
use crate::http::handler::precondition::Several;
use crate::http::handler::{ResourceRequest, response};
use crate::http::param::path_key::path_key;
use crate::http::render::expand::key_of;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::json;
use crate::model::key::Key;
use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::resource::Resource;
use crate::model::value::Value;
use crate::query::assignments::Assignments;
use crate::query::{ListQuery, Predicate};
use crate::storage::write::{Mode, Work, Write};
use crate::store::audit_record::{AuditRecord, LinkAction, write_entries};
use crate::store::each_row::each_row;
use crate::store::owned_record::OwnedRecord;
use crate::store::transaction::shared::SharedTransaction;
use crate::store::writer::audit_recorder::AuditEntries;
use crate::store::writer::no_sink::NoSink;
use crate::store::writer::record_values;

/// Change of a set of linked records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// The records of the body are linked, and no others of those that the sender sees.
    Replace,
    /// The records of the body are linked too.
    Add,
    /// The record of the path is no longer linked.
    Remove,
}

/// A record of the junction.
struct Link {
    key: Key,
    /// The key of the linked record.
    far: Key,
}

/// Changes the set of a record, in the request's transaction.
pub(super) async fn change(mut request: Box<ResourceRequest>, change: Change) -> Result<Response, Problem> {
    let linked = Linked::of(&request)?;
    let (id, removed, ids) = match change {
        Change::Remove => {
            let (id, text) = request.id_and_linked().await?;
            (id, Some(linked_key(&request, &linked, &text)?), Vec::new())
        }
        Change::Replace | Change::Add => {
            let id = request.id().await?;
            let bytes = request.json_body(request.state.limits().body).await?;
            (id, None, valid_ids(linked.junction.target, &bytes, MOST as usize)?)
        }
    };
    let transaction = request.transaction().ok_or_else(|| Problem::internal("the change is in no transaction"))?;
    // The lock lets the second of two requests wait, and see the links of the first.
    let tenant = request.identity.records.tenant();
    let locked = transaction.lock(request.resource(), &id, tenant, &mut NoSink).await;
    locked.map_err(|error| request.problem(error))?;
    let record = linked.record(&request, &id).await?;
    linked.check_version(&request, &id).await?;

    let links = request.of_other(linked.junction.resource)?;
    let set = Set { request: &request, linked: &linked, links, near: &id };
    let kept: Vec<&Key> = removed.iter().chain(&ids).collect();
    // Only visible links to visible records are replaced; others stay.
    let among = if change == Change::Replace { None } else { Some(kept.as_slice()) };
    let there = set.visible(&transaction, among).await?;
    let is_there = |key: &Key| there.iter().any(|link| link.far == *key);
    let gone: Vec<&Link> = match change {
        Change::Add => Vec::new(),
        Change::Replace => there.iter().filter(|link| !ids.contains(&link.far)).collect(),
        Change::Remove => there.iter().collect(),
    };
    if let (Some(key), []) = (&removed, gone.as_slice()) {
        return Err(Problem::record_not_found(linked.junction.target, key));
    }
    let new: Vec<(usize, &Key)> = ids.iter().enumerate().filter(|(_, key)| !is_there(key)).collect();
    set.remove(&gone).await?;
    set.add(&record, &new).await?;
    let (new, gone): (Vec<_>, Vec<_>) =
        (new.into_iter().map(|(_, key)| key).collect(), gone.into_iter().map(|link| &link.far).collect());
    set.log(&transaction, &record, &new, &gone).await?;

    let answer = of_set(linked.set(&request, &id).await?);
    Ok(response::of_change(request.headers(), StatusCode::NO_CONTENT, answer))
}

/// The key of a linked record in the path.
fn linked_key(request: &ResourceRequest, linked: &Linked, text: &str) -> Result<Key, Problem> {
    let refuse = |detail: &str| Problem::validation([FieldError::parameter("linked", "type", detail)]);
    let key = path_key(linked.junction.target, request.parts.uri.path(), text);
    key.map_err(|error| refuse(error.message()))
}

/// The links of a record.
struct Set<'a> {
    request: &'a ResourceRequest,
    linked: &'a Linked,
    /// The sender's request for the junction.
    links: Box<ResourceRequest>,
    /// The key of the record whose links these are.
    near: &'a Key,
}

impl Set<'_> {
    fn problem(&self, error: AdapterError) -> Problem {
        Problem::from_adapter(self.linked.junction.resource, error)
    }

    /// Locks and returns the links that the sender sees to records that it sees; with `among`, only links to those.
    async fn visible(&self, transaction: &SharedTransaction, among: Option<&[&Key]>) -> Result<Vec<Link>, Problem> {
        let junction = self.linked.junction;
        let of_record = Predicate::of_values(junction.near_columns(), [self.near]);
        let of_record = match among {
            Some([]) => return Ok(Vec::new()),
            Some(keys) => of_record.and(Predicate::of_values(junction.far_columns(), keys.iter().copied())),
            None => of_record,
        };
        let filter = of_record.and(self.request.visibility().links(junction, Predicate::All));
        let query = ListQuery::all(junction.resource).filter(self.links.resolved(filter).await?);
        let query = query.limit(u64::from(MOST) + 1);
        let mut links = Vec::new();
        let mut sink = each_row(|row| {
            let far = key_of(junction.resource, junction.far_columns(), row)?;
            links.push(Link { key: Key::of_row(junction.resource, row)?, far });
            Ok(())
        });
        let listed = transaction.list_locked(junction.resource, &query, &mut sink).await;
        listed.map_err(|error| self.problem(error))?;
        // No answer has the whole of a set this large: a client that sends it back would remove links that it has not
        // seen.
        if links.len() > MOST as usize {
            let name = self.linked.many.name;
            let detail = format!("the record has more than {MOST} `{name}`: remove single ones, and add by POST");
            return Err(Problem::new(Code::BatchTooLarge, detail));
        }
        Ok(links)
    }

    /// Removes links, as deletes of their records would.
    async fn remove(&self, links: &[&Link]) -> Result<(), Problem> {
        if links.is_empty() {
            return Ok(());
        }
        let keys = Several::Delete(links.iter().map(|link| link.key.clone()).collect());
        let writer = self.links.writer();
        let results = keys.write(&self.links.identity, &writer, Mode::Atomic, &mut NoSink).await?;
        results.into_iter().collect()
    }

    /// Adds links, as creates of their records would. Errors are reported at the keys in the body.
    async fn add(&self, record: &OwnedRecord, new: &[(usize, &Key)]) -> Result<(), Problem> {
        if new.is_empty() {
            return Ok(());
        }
        self.check_targets(new).await?;
        let mut records = Vec::with_capacity(new.len());
        for (index, key) in new {
            let record = self.new_link(record, key).map_err(|problem| at_keys([(*index, problem)]))?;
            records.push(record);
        }
        let (records, writer) = (Several::Insert(records), self.links.writer());
        let results = records.write(&self.links.identity, &writer, Mode::Atomic, &mut NoSink).await?;
        let failed = results.into_iter().zip(new).filter_map(|(result, (index, _))| Some((*index, result.err()?)));
        let failed: Vec<(usize, Problem)> = failed.collect();
        if failed.is_empty() { Ok(()) } else { Err(at_keys(failed)) }
    }

    /// Refuses records that the sender does not see, as if they did not exist.
    async fn check_targets(&self, new: &[(usize, &Key)]) -> Result<(), Problem> {
        let (target, visibility) = (self.linked.junction.target, self.request.visibility());
        let with_key = Predicate::of_keys(target, new.iter().map(|(_, key)| *key));
        let filter = self.request.resolved(with_key.and(visibility.records(target))).await?;
        let mut found = HashSet::new();
        let mut sink = each_row(|row| {
            found.insert(Key::of_row(target, row)?.lookup());
            Ok(())
        });
        let listed = self.request.adapter().list(target, &ListQuery::all(target).filter(filter), &mut sink).await;
        listed.map_err(|error| Problem::from_adapter(target, error))?;
        let missing = new.iter().filter(|(_, key)| !found.contains(&key.lookup()));
        let detail = "refers to a record that does not exist";
        let missing: Vec<FieldError> =
            missing.map(|(index, _)| FieldError::pointer(pointer(*index), "reference", detail)).collect();
        if missing.is_empty() { Ok(()) } else { Err(Problem::with_errors(Code::ReferenceNotFound, missing)) }
    }

    /// The record of the junction for a new link.
    fn new_link(&self, record: &OwnedRecord, key: &Key) -> Result<Vec<Value>, Problem> {
        let junction = self.linked.junction;
        let resource = junction.resource;
        let mut changes = Changes::new();
        for (column, value) in junction.near_columns().iter().zip(self.near.values()) {
            changes.set(*column, value.clone());
        }
        let far = junction.far_columns().iter().zip(junction.target.key());
        for ((column, part), value) in far.zip(key.values()) {
            // The two references may share a column.
            if changes.get(*column).is_some_and(|near| near != value) {
                let name = junction.target.columns[*part].json;
                let detail = format!("must have the `{name}` of the record that it is linked to");
                let error = FieldError::field(name, "reference", detail);
                return Err(Problem::with_errors(Code::ReferenceNotFound, [error]));
            }
            changes.set(*column, value.clone());
        }
        let mut errors = FieldErrors::default();
        let principal = self.links.identity.principal.as_deref();
        Assignments::new(resource, principal)?.apply(resource, &mut changes, &mut errors);
        errors.into_result(())?;
        // A principal without a tenant links within the record's tenant.
        if let (Some(own), Some(of_record)) = (resource.tenant, self.request.resource().tenant)
            && changes.get(own.column).is_none()
        {
            changes.set(own.column, record.get(of_record.column).clone());
        }
        let missing = resource.columns.iter().enumerate().filter(|(index, column)| {
            column.from_principal && !column.is_managed() && column.needs_value() && changes.get(*index).is_none()
        });
        let missing: Vec<FieldError> =
            missing.map(|(_, column)| FieldError::field(column.json, "required", "is required")).collect();
        if !missing.is_empty() {
            return Err(Problem::validation(missing));
        }
        record_values::validate_new(&self.links.mounted, &changes)?;
        Ok(self.links.new_record(changes))
    }

    /// Adds entries to the log of the record.
    async fn log(
        &self,
        transaction: &SharedTransaction,
        record: &OwnedRecord,
        new: &[&Key],
        gone: &[&Key],
    ) -> Result<(), Problem> {
        let request = self.request;
        let actor = request.identity.actor.clone();
        let Some(log_entries) = AuditEntries::new(request.resource(), actor) else { return Ok(()) };
        let (clock, log) = (request.state.app().clock(), AuditRecord::DESCRIPTOR);
        let mut entries = Vec::new();
        for (action, keys) in [(LinkAction::Unlink, gone), (LinkAction::Link, new)] {
            if !keys.is_empty() {
                let entry = log_entries.link_entry(action, clock.stamp(), record, &self.links_json(keys));
                entries.push(entry.map_err(|error| request.problem(error))?);
            }
        }
        let write = Write::atomic(Work::Insert(&entries), None).with_clock(clock);
        let written = write_entries(transaction, write, &mut NoSink).await;
        written.map_err(|error| Problem::from_adapter(log, error))
    }

    /// The keys of linked records, as an entry of the log has them: `{"labels": [3, 4]}`, and `{"lines": ["7,a"]}`.
    fn links_json(&self, keys: &[&Key]) -> Json {
        let column = self.linked.junction.target.id_column();
        let keys = keys.iter().map(|key| match key.single() {
            Some(value) => json::json_value(column, value.borrow()),
            None => key.to_string().into(),
        });
        Json::Object(Map::from_iter([(self.linked.many.name.to_owned(), keys.collect())]))
    }
}

/// The place of a key in the body.
fn pointer(index: usize) -> String {
    format!("/{IDS}/{index}")
}

/// The problems of links, reported at their keys in the body: clients do not know the fields of the junction.
fn at_keys(problems: impl IntoIterator<Item = (usize, Problem)>) -> Problem {
    Problem::from_pointers(problems.into_iter().map(|(index, problem)| {
        if problem.code().status().is_server_error() {
            return (String::new(), problem);
        }
        let detail = problem.errors().first().map_or(problem.detail(), FieldError::detail).to_owned();
        (pointer(index), Problem::new(problem.code(), detail))
    }))
}
