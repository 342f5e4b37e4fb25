//! The time since which a principal may see a record, from the log of the record and of the records that it refers to.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::http::handler::ResourceRequest;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Audit, ClaimScope, Descriptor, Step};
use crate::model::key::Key;
use crate::model::problem::{Code, Problem};
use crate::model::resource::Resource;
use crate::model::row::{Row, RowSink};
use crate::query::Select;
use crate::store::audit_record::{Action, AuditRecord};
use crate::store::owned_record::OwnedSink;

/// The entry of a change that may have brought a record into a scope. This entry and earlier ones have values that the
/// reader may not have been allowed to see.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    /// The entry's key.
    pub(super) entry: i64,
    time: Option<DateTime<Utc>>,
}

impl Move {
    /// Whether the record may have come into the scope after a time.
    pub(super) fn is_after(self, time: DateTime<Utc>) -> bool {
        self.time.is_none_or(|moved| moved > time)
    }
}

/// Refuses the past of records to a principal whose scope depends on records of other resources. It is allowed where
/// the log keeps the past of those records at least as long as the record's own.
///
/// # Errors
/// `permission_denied`.
pub(super) fn require_known_past(request: &ResourceRequest) -> Result<(), Problem> {
    let (resource, records) = (request.resource(), &request.identity.records);
    let is_known = |scope: &ClaimScope| {
        // The log does not say which of several referring records was the first.
        let (steps, _) = scope_steps(scope, resource)?;
        let is_told = |other: &Descriptor| {
            other
                .audit
                .is_some_and(|audit| audit.track_changes && audit.track_timestamp && lasts(audit, resource.audit))
        };
        Ok::<_, Problem>(steps.iter().all(|step| step.selected == step.resource.id && is_told(step.resource)))
    };
    for scope in records.scopes_of_related(resource) {
        if !is_known(scope)? {
            let detail =
                "records of other resources decide which records a scope has, and the log does not tell what they were";
            return Err(Problem::new(Code::PermissionDenied, detail));
        }
    }
    Ok(())
}

/// Whether entries of a resource are kept at least as long as those of another one.
fn lasts(audit: Audit, own: Option<Audit>) -> bool {
    let kept = |audit: Audit| audit.keep.unwrap_or(Duration::MAX);
    own.is_some_and(|own| kept(audit) >= kept(own))
}

fn scope_steps(scope: &ClaimScope, resource: &'static Descriptor) -> Result<(Vec<Step>, usize), Problem> {
    scope.steps(resource).map_err(Problem::internal)
}

/// The latest entry that changed the owner, the tenant or the field of a claim, or that removed an earlier record of
/// the same key; or that changed a record of another resource that brings this one into the scope.
///
/// # Errors
/// When the database fails.
pub(super) async fn last_move(request: &ResourceRequest, id: &Key) -> Result<Option<Move>, Problem> {
    let (resource, records) = (request.resource(), &request.identity.records);
    let mut own = Latest::new(records.columns().map(|column| resource.columns[column].json).collect());
    read(request, resource, id, &mut own).await?;
    let mut latest = own.found;
    let scopes: Vec<&ClaimScope> = records.scopes_of_related(resource).collect();
    for scope in scopes {
        let (steps, compared) = scope_steps(scope, resource)?;
        let (mut from, mut key) = (resource, id.clone());
        for (index, step) in steps.iter().enumerate() {
            let mut sink = OwnedSink::new(from);
            // The record of a later step may be of another tenant.
            let tenant = records.tenant().filter(|_| index == 0);
            request.adapter().get(from, &key, tenant, &mut sink).await.map_err(|error| request.problem(error))?;
            let value = sink.record.map(|record| record.get(step.column).clone());
            let Some(value) = value.filter(|value| !value.is_null()) else { break };
            (from, key) = (step.resource, Key::from(value));
            let column = steps.get(index + 1).map_or(compared, |next| next.column);
            let mut other = Latest { is_other: true, ..Latest::new(vec![from.columns[column].json]) };
            read(request, from, &key, &mut other).await?;
            latest = later(latest, other.of_other());
        }
    }
    Ok(latest)
}

fn later(one: Option<Move>, other: Option<Move>) -> Option<Move> {
    one.into_iter().chain(other).max_by_key(|moved| moved.entry)
}

/// Passes the entries of a record to `latest`. Entries are not kept in memory: a record may have a long history of
/// large changes.
async fn read(
    request: &ResourceRequest,
    resource: &'static Descriptor,
    id: &Key,
    latest: &mut Latest,
) -> Result<(), Problem> {
    let query = Select::from(AuditRecord::is_of_record(resource, id)).into_list_query();
    let read = request.adapter().list(AuditRecord::DESCRIPTOR, &query, latest).await;
    read.map_err(|error| request.problem(error))
}

/// Keeps the latest entry that changed one of the fields, or removed the record.
#[derive(Default)]
struct Latest {
    fields: Vec<&'static str>,
    /// Whether the record is one that another refers to: a deleted record brings no other into a scope.
    is_other: bool,
    found: Option<Move>,
    /// The first entry, and whether the log has the record's creation.
    first: Option<Move>,
    is_created: bool,
}

impl Latest {
    fn new(fields: Vec<&'static str>) -> Self {
        Self { fields, ..Self::default() }
    }

    /// The latest move of a record that another refers to. Where the record is older than its log, that is the first
    /// entry at the earliest: nothing is known of the time before.
    fn of_other(self) -> Option<Move> {
        if self.is_created {
            return self.found;
        }
        later(self.found, self.first).or(Some(Move { entry: i64::MAX, time: None }))
    }
}

impl RowSink for Latest {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let entry = AuditRecord::from_row(row)?;
        let moved = Move { entry: entry.id, time: entry.timestamp };
        if self.first.is_none_or(|first| first.entry > entry.id) {
            self.first = Some(moved);
        }
        let is = |action: Action| entry.action == action.as_str();
        if is(Action::Create) {
            self.is_created = true;
            return Ok(());
        }
        let changes = |field: &&str| entry.changes.as_ref().is_some_and(|changes| changes.get(*field).is_some());
        // An update whose values are erased may have changed each field.
        let is_erased = is(Action::Update) && !entry.changes.as_ref().is_some_and(serde_json::Value::is_object);
        let is_state = is(Action::SoftDelete) || is(Action::Restore) || is_erased;
        if is(Action::Delete) || self.is_other && is_state || self.fields.iter().any(changes) {
            self.found = later(self.found, Some(moved));
        }
        Ok(())
    }
}
