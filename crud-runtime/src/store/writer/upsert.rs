//! Upsert: creates a record, or changes the one that holds its unique values.
//!
//! The holder is looked up first, by the database's equality: in a table whose collation ignores letter case, `A` holds
//! `a`. It is changed under a guard that it still has the values that were found. Where there is none, the record is
//! inserted; if another request came first, the insert is a conflict and the holder is looked up again. It is the same
//! on every database: MySQL's `ON DUPLICATE KEY` would change the holder of any other unique value too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crud_core::retry;

use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{Descriptor, SoftDelete};
use crate::model::key::Key;
use crate::model::problem::{Code, Problem};
use crate::model::row::{Row, RowSink};
use crate::model::stored_value::stored_value;
use crate::model::value::Value;
use crate::query::record_scope::RecordScope;
use crate::query::visibility::RecordVisibility;
use crate::query::{Comparison, ListQuery, Predicate, Scope, deletion};
use crate::storage::decide::{RecordState, has, state};
use crate::storage::layers::tenant_read_audit::ReportingSink;
use crate::storage::uniques::{self, Unique};
use crate::storage::write::{Guard, Mode, Update, Work};
use crate::store::each_row::each_row;
use crate::store::scope::visible_record::read_visible;
use crate::store::writer::RecordWriter;
use crate::store::writer::no_sink::NoSink;
use crate::store::writer::write_error::WriteError;

/// A record to create, or the changes of the one that holds its unique values.
pub(crate) struct Upsert<'a> {
    /// The unique columns by which the holder is found.
    pub(crate) unique: &'a Unique,
    /// The values of these columns, in the same order.
    pub(crate) key: Vec<Value>,
    /// The record to create; or why it cannot be created, which matters where there is no holder.
    pub(crate) record: Result<Vec<Value>, Problem>,
    /// Action on the holder.
    pub(crate) on_conflict: OnConflict<'a>,
    /// The records that the caller sees: a holder outside of them is a conflict.
    pub(crate) records: &'a RecordScope,
    /// Whether the caller may restore a soft-deleted holder; otherwise, such a holder is a conflict.
    pub(crate) may_restore: bool,
    /// `Atomic`, or `Rehearsal`: nothing happens, and the result is what would have happened.
    pub(crate) mode: Mode,
}

impl Upsert<'_> {
    /// Whether a soft-deleted holder is changed, which restores it.
    fn restores(&self, resource: &Descriptor) -> bool {
        self.may_restore && resource.soft_delete.is_some_and(|soft_delete| soft_delete.auto_restore_on_update)
    }

    /// The problem that another record holds the unique values.
    fn conflict(&self, resource: &Descriptor) -> Problem {
        Problem::from_adapter(resource, AdapterError::Unique { columns: self.unique.columns.clone() })
    }
}

/// Action on a record that holds the unique values.
pub(crate) enum OnConflict<'a> {
    /// Changes the record, if the guard admits that.
    Update(&'a Changes, Option<Arc<dyn Guard>>),
    /// Keeps the record as it is.
    Ignore,
    /// Refuses the upsert: `precondition_failed`.
    Refuse,
}

/// Outcome of an upsert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    Created,
    /// The holder existed, and was changed or kept.
    Found,
}

/// One attempt at an upsert.
enum Attempt {
    Settled(Done),
    /// A conflict with another request; the result, if this is the last attempt.
    InTheWay(Result<Done, WriteError>),
}

/// Conflicts of the inserts of an upsert, each of which had found no holder.
#[derive(Debug, Default)]
struct Conflicts {
    /// Number of conflicts on the upsert's own values.
    with_key: u32,
    /// Whether a conflict was on another value, whose record may have been the holder a moment before.
    with_another: bool,
}

/// Number of conflicts after which no holder is looked for in a table of the database's own collations: a unique index may take
/// more values for equal than its column does, such as `lower(email)`.
const MAX_UNFOUND: u32 = 9;

/// The unique key of these columns, in any order, if their exact values identify a record.
pub(crate) fn unique_of(resource: &Descriptor, columns: &[usize]) -> Option<Unique> {
    let key = resource.key();
    if !key.is_empty() && columns.len() == key.len() && key.iter().all(|column| columns.contains(column)) {
        return Some(Unique { columns: columns.to_vec(), case_insensitive: Vec::new(), active: None });
    }
    let tenant = resource.tenant.map(|tenant| tenant.column);
    let is = |unique: &Unique| {
        let others = || unique.columns.iter().filter(|column| Some(**column) != tenant || columns.contains(column));
        others().count() == columns.len() && others().all(|column| columns.contains(column))
    };
    uniques::of(resource).into_iter().find(|unique| unique.case_insensitive.is_empty() && is(unique))
}

impl RecordWriter<'_> {
    /// Creates the record or changes its holder; passes the record to the sink.
    ///
    /// # Errors
    /// The problem, where neither happened: `conflict` where the caller cannot see the holder, or it is soft-deleted.
    pub(crate) async fn upsert(&self, mut upsert: Upsert<'_>, sink: &mut dyn RowSink) -> Result<Done, WriteError> {
        let mut conflicts = Conflicts::default();
        let attempt =
            retry!(
                self.try_upsert(&mut upsert, &mut conflicts, sink),
                |attempt: &Result<Attempt, WriteError>| matches!(attempt, Ok(Attempt::InTheWay(_)))
            );
        match attempt? {
            Attempt::Settled(done) => Ok(done),
            Attempt::InTheWay(last) => last,
        }
    }

    /// Creates the record or changes its holder, once.
    async fn try_upsert(
        &self,
        upsert: &mut Upsert<'_>,
        conflicts: &mut Conflicts,
        sink: &mut dyn RowSink,
    ) -> Result<Attempt, WriteError> {
        let resource = self.mounted.resource();
        let Some(holder) = self.holder(upsert).await? else {
            let record = match &mut upsert.record {
                Ok(record) => std::slice::from_ref(record),
                Err(_) => {
                    let refused = std::mem::replace(&mut upsert.record, Ok(Vec::new()));
                    return refused.map(|_| Attempt::Settled(Done::Created)).map_err(WriteError::from);
                }
            };
            return match self.write_one_as(Work::Insert(record), upsert.mode, sink).await {
                Ok(()) => Ok(Attempt::Settled(Done::Created)),
                // Another request may have created the holder since, and may have removed it again.
                Err(WriteError::Problem(problem)) if problem.code() == Code::Conflict => {
                    let is_of_key = problem.detail() == upsert.conflict(resource).detail();
                    let is_settled = if is_of_key {
                        conflicts.with_key += 1;
                        resource.follows_database() && conflicts.with_key > MAX_UNFOUND
                    } else {
                        // A database reports only one of several conflicts: the reported one may be on another value of
                        // the holder.
                        let is_unfound = self.holder(upsert).await?.is_none();
                        is_unfound && std::mem::replace(&mut conflicts.with_another, true)
                    };
                    if is_settled {
                        return Err(problem.into());
                    }
                    Ok(Attempt::InTheWay(Err(problem.into())))
                }
                Err(error) => Err(error),
            };
        };
        if !holder.is_reached || holder.is_deleted && !upsert.restores(resource) {
            return Err(upsert.conflict(resource).into());
        }
        let (changes, guard) = match &upsert.on_conflict {
            OnConflict::Update(changes, guard) => (*changes, guard.clone()),
            OnConflict::Refuse => return Err(already_there(resource).into()),
            OnConflict::Ignore => {
                let visibility = RecordVisibility { scope: Scope::All, records: Some(upsert.records) };
                let mut reporting;
                let sink: &mut dyn RowSink = match self.reads {
                    Some(reads) => {
                        reporting = ReportingSink::new(resource, &**reads, sink);
                        &mut reporting
                    }
                    None => sink,
                };
                let read = read_visible(self.adapter(), resource, &holder.id, visibility, sink).await;
                let is_read = read.map_err(|error| Problem::from_adapter(resource, error))?;
                return Ok(if is_read { Attempt::Settled(Done::Found) } else { Attempt::InTheWay(Ok(Done::Found)) });
            }
        };
        let Holder { id, key, .. } = holder;
        let soft_delete = resource.soft_delete.filter(|_| !upsert.restores(resource));
        let guard = Arc::new(HolderGuard { resource, key, soft_delete, own: guard, has_moved: AtomicBool::new(false) });
        let update = [Update::new(&id, changes, Some(guard.clone()))];
        match self.write_one_as(Work::Update(&update), upsert.mode, sink).await {
            Ok(()) => Ok(Attempt::Settled(Done::Found)),
            Err(WriteError::Refused) if guard.has_moved.load(Ordering::Relaxed) => {
                Ok(Attempt::InTheWay(Err(WriteError::Refused)))
            }
            Err(WriteError::Problem(problem)) if problem.code() == Code::NotFound => {
                Ok(Attempt::InTheWay(Err(WriteError::Problem(problem))))
            }
            Err(error) => Err(error),
        }
    }

    /// The record that holds the values.
    async fn holder(&self, upsert: &Upsert<'_>) -> Result<Option<Holder>, Problem> {
        let resource = self.mounted.resource();
        let equal = |(column, value): (&usize, &Value)| Predicate::Compare {
            column: *column,
            operator: Comparison::Eq,
            value: value.clone(),
        };
        let terms = upsert.unique.columns.iter().zip(&upsert.key).map(equal);
        let filter = terms.fold(Predicate::All, Predicate::and);
        let active = upsert.unique.active.map(|column| deletion(resource, column, false));
        let query = ListQuery::all(resource).filter(filter.and(active.unwrap_or(Predicate::All))).limit(1);
        let mut found = None;
        let mut sink = each_row(|row| {
            let id = Key::of_row(resource, row)?;
            let value = |column: &usize| Ok((*column, stored_value(resource, *column, row)?));
            let key = upsert.unique.columns.iter().map(value).collect::<Result<_, AdapterError>>()?;
            let is_reached = upsert.records.admits(resource, row)?;
            let is_deleted = state(resource, row)? == RecordState::Deleted;
            found = Some(Holder { id, key, is_reached, is_deleted });
            Ok(())
        });
        let read = self.adapter().list(resource, &query, &mut sink).await;
        read.map_err(|error| Problem::from_adapter(resource, error))?;
        if let Some(holder) = found.as_mut().filter(|_| upsert.records.reads_related()) {
            let visibility = RecordVisibility { scope: Scope::All, records: Some(upsert.records) };
            let read = read_visible(self.adapter(), resource, &holder.id, visibility, &mut NoSink).await;
            holder.is_reached = read.map_err(|error| Problem::from_adapter(resource, error))?;
        }
        Ok(found)
    }
}

fn already_there(resource: &Descriptor) -> Problem {
    Problem::new(Code::PreconditionFailed, format!("{} is there already, and If-None-Match is `*`", resource.name))
}

/// A record that holds the values.
struct Holder {
    id: Key,
    /// The stored values, which the database takes for equal to those of the upsert.
    key: Vec<(usize, Value)>,
    is_reached: bool,
    is_deleted: bool,
}

/// Admits the record while it has the values that were found and is not soft-deleted, and the caller's own guard admits it.
#[derive(Debug)]
struct HolderGuard {
    resource: &'static Descriptor,
    key: Vec<(usize, Value)>,
    soft_delete: Option<SoftDelete>,
    own: Option<Arc<dyn Guard>>,
    /// Whether the record was no longer the holder.
    has_moved: AtomicBool,
}

impl Guard for HolderGuard {
    fn admits(&self, current: &dyn Row) -> Result<bool, AdapterError> {
        let has_key = self.key.iter().all(|(column, value)| has(self.resource, current, *column, value));
        let is_holder =
            has_key && (self.soft_delete.is_none() || state(self.resource, current)? == RecordState::Active);
        self.has_moved.store(!is_holder, Ordering::Relaxed);
        match &self.own {
            Some(own) if is_holder => own.admits(current),
            _ => Ok(is_holder),
        }
    }
}
