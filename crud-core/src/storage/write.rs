//! [`Write`]: a request for changes, and the outcome of each.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::clock::Clock;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::Row;
use crate::model::value::Value;
use crate::query::Predicate;

/// Changes of one kind that belong together.
///
/// The adapter takes the time of a change ([`Clock::stamp`] of the write's [`clock`](Self::clock)) when no other change
/// of the record can come first. So the order of times is the order of changes. The time goes into the columns of
/// [`Role::CreatedAt`](crate::model::descriptor::Role), `UpdatedAt` and `DeletedAt`, and to the [`Recorder`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Write<'a> {
    /// The changes.
    pub work: Work<'a>,
    /// Rule for the other changes when one cannot be applied.
    pub mode: Mode,
    /// The recorder of audit entries, one for each change that changed something, in order. It is shared, as guards
    /// are, so that an adapter can apply the change in another task than the request's.
    pub recorder: Option<Arc<dyn Recorder>>,
    /// Source of the time.
    pub clock: Clock,
    /// Number of failed changes after which storage may stop a write that applies nothing then; `None` for no limit.
    /// The outcomes of changes that were not tried mean nothing.
    pub most_failures: Option<usize>,
    /// The tenant of the records: a record of another tenant is [missing](Outcome::Missing). `None`: records of every
    /// tenant. A record that is inserted has its own tenant.
    pub tenant: Option<&'a Value>,
}

impl<'a> Write<'a> {
    /// A write in this mode, by the system's clock.
    pub fn new(work: Work<'a>, mode: Mode, recorder: Option<Arc<dyn Recorder>>) -> Self {
        Self { work, mode, recorder, clock: Clock::default(), most_failures: None, tenant: None }
    }

    /// A write of all of these changes or none of them.
    pub fn atomic(work: Work<'a>, recorder: Option<Arc<dyn Recorder>>) -> Self {
        Self::new(work, Mode::Atomic, recorder)
    }

    /// A write of each of these changes that can be applied.
    pub fn partial(work: Work<'a>, recorder: Option<Arc<dyn Recorder>>) -> Self {
        Self::new(work, Mode::Partial, recorder)
    }

    /// Lets storage stop after this many failed changes, for a write of all or none.
    #[must_use]
    pub fn stopping_after(self, most_failures: Option<usize>) -> Self {
        Self { most_failures, ..self }
    }

    /// Limits the changes to the records of a tenant.
    #[must_use]
    pub fn of_tenant(self, tenant: Option<&'a Value>) -> Self {
        Self { tenant, ..self }
    }

    /// Sets another clock.
    #[must_use]
    pub fn with_clock(self, clock: &Clock) -> Self {
        Self { clock: clock.clone(), ..self }
    }
}

/// Rule for the changes of a write when one of them cannot be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// No change is applied.
    Atomic,
    /// The failed change leaves nothing behind, and the others stand.
    Partial,
    /// No change is applied in any case: the outcomes report which could be. Storage that cannot roll back does its best: it
    /// reads, checks and writes nothing, so that a change may fail later for a reason that it did not find.
    Rehearsal,
}

/// The changes of a write, each of another record.
#[derive(Debug, Clone, Copy)]
pub enum Work<'a> {
    /// Inserts records: a value for every column. The value of a key that storage assigns is null and ignored; the
    /// adapter sets the times of creation and update. A record may refer to an earlier one.
    Insert(&'a [Vec<Value>]),
    /// Changes records.
    ///
    /// An update in which no value [differs](crate::adapter::is_same) from the stored one leaves the record as it is
    /// and is [`Outcome::Done`] too, without audit entry. An update that changes something sets the time of update, and
    /// restores the record where soft delete says [`auto_restore_on_update`](crate::model::descriptor::SoftDelete); for
    /// a soft-deleted record, the restore alone is a change.
    Update(&'a [Update<'a>]),
    /// Sets the deletion timestamp of records that have none.
    SoftDelete(&'a [Target<'a>]),
    /// Takes the deletion timestamp from records that have one.
    Restore(&'a [Target<'a>]),
    /// Removes records, which are passed to the sink as they were.
    Delete(&'a [Target<'a>]),
    /// Removes records that are soft-deleted.
    Purge(&'a [Target<'a>]),
}

impl Work<'_> {
    /// The number of records.
    pub const fn len(&self) -> usize {
        match self {
            Self::Insert(records) => records.len(),
            Self::Update(updates) => updates.len(),
            Self::SoftDelete(targets) | Self::Restore(targets) | Self::Delete(targets) | Self::Purge(targets) => {
                targets.len()
            }
        }
    }

    /// Whether there are no changes.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A change of one record.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Update<'a> {
    /// The record's key.
    pub id: &'a Key,
    /// The new values.
    pub changes: &'a Changes,
    /// The guard, asked before anything is written, about the record that is then changed.
    pub guard: Option<Arc<dyn Guard>>,
}

impl<'a> Update<'a> {
    /// Changes the record of a key.
    pub const fn new(id: &'a Key, changes: &'a Changes, guard: Option<Arc<dyn Guard>>) -> Self {
        Self { id, changes, guard }
    }
}

/// A record to delete or restore.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Target<'a> {
    /// The record's key.
    pub id: &'a Key,
    /// The guard, asked before anything is written, about the record that is then changed.
    pub guard: Option<Arc<dyn Guard>>,
}

impl<'a> Target<'a> {
    /// The record of a key.
    pub const fn new(id: &'a Key, guard: Option<Arc<dyn Guard>>) -> Self {
        Self { id, guard }
    }
}

/// A change of every soft-deleted record that satisfies a predicate.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WriteWhere<'a> {
    /// Change of each record.
    pub work: WorkWhere,
    /// Filter of the soft-deleted records.
    pub filter: &'a Predicate,
    /// The recorder of audit entries, one for each change.
    pub recorder: Option<Arc<dyn Recorder>>,
    /// Source of the time, as in [`Write`].
    pub clock: Clock,
    /// The tenant of the records, as in [`Write`].
    pub tenant: Option<&'a Value>,
}

impl<'a> WriteWhere<'a> {
    /// A change of every soft-deleted record that satisfies the predicate, by the system's clock.
    pub fn new(work: WorkWhere, filter: &'a Predicate, recorder: Option<Arc<dyn Recorder>>) -> Self {
        Self { work, filter, recorder, clock: Clock::default(), tenant: None }
    }

    /// Limits the changes to the records of a tenant.
    #[must_use]
    pub fn of_tenant(self, tenant: Option<&'a Value>) -> Self {
        Self { tenant, ..self }
    }

    /// Sets another clock.
    #[must_use]
    pub fn with_clock(self, clock: &Clock) -> Self {
        Self { clock: clock.clone(), ..self }
    }
}

/// A change of many soft-deleted records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkWhere {
    /// Restores the records, as [`Work::Restore`] does.
    Restore,
    /// Removes the records, as [`Work::Purge`] does.
    Purge,
}

/// Makes the audit entries of changes.
///
/// An entry and its change become durable together and readable together: in one transaction, or by any other way that
/// never shows one without the other. An adapter that retries a change asks for its entry again.
pub trait Recorder: fmt::Debug + Send + Sync {
    /// The resource that audit entries are records of.
    fn log(&self) -> &'static Descriptor;

    /// The entry of a change at this time: a record to insert into the [log](Self::log), with JSON as
    /// [text](Value::JsonText). An insert has no record before, a delete none after. The same rows have the same entry:
    /// storage may ask for an insert's entry before the key is assigned, with another key in its place.
    ///
    /// # Errors
    /// Errors of reading the rows.
    fn entry(
        &self,
        time: DateTime<Utc>,
        before: Option<&dyn Row>,
        after: Option<&dyn Row>,
    ) -> Result<Vec<Value>, AdapterError>;
}

/// A condition on the stored record that a change depends on.
///
/// The record is compared and the change written atomically: no other change of the record comes between. An adapter
/// that finds a newer record when it writes reads again and asks the guard again.
pub trait Guard: fmt::Debug + Send + Sync {
    /// Whether the change may happen to this record.
    ///
    /// # Errors
    /// Errors of reading the row.
    fn admits(&self, current: &dyn Row) -> Result<bool, AdapterError>;
}

/// The result of a change.
#[derive(Debug)]
pub enum Outcome {
    /// The change happened, and the record was passed to the sink.
    Done,
    /// There is no such record.
    Missing,
    /// The record is not in the state that the change needs: soft-deleted already, or not soft-deleted.
    WrongState,
    /// The guard refused the change.
    Refused,
    /// The database refused the change, for this reason.
    Failed(AdapterError),
}

/// Receives the records of a write.
pub trait WriteSink: Send {
    /// Receives the record of the change with this index: as it is stored now, a removed one as it was.
    ///
    /// # Errors
    /// Errors of reading the row.
    fn record(&mut self, index: usize, row: &dyn Row) -> Result<(), AdapterError>;
}
