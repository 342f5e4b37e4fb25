//! [`Adapter`]: what a database has to do for a service.

#[cfg(feature = "migrations")]
pub mod migrations;
mod position;
mod same;
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
pub mod sql;

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::changes::Changes;
use crate::column::ColumnError;
use crate::descriptor::Descriptor;
use crate::query::{ListQuery, Predicate};
use crate::value::{Value, ValueRef};

pub use self::position::Position;
pub use self::same::is_same;
#[cfg(feature = "mysql")]
pub use self::sql::MySqlAdapter;
#[cfg(feature = "postgres")]
pub use self::sql::PostgresAdapter;
#[cfg(feature = "sqlite")]
pub use self::sql::SqliteAdapter;

/// A boxed future, so that [`Adapter`] is object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Storage for resources: maps between stored records and rows of values.
///
/// Requests reach an adapter parsed and checked against the resource's [`Descriptor`]; every method
/// works on any resource, by column index. Records are handed out through a [`RowSink`], borrowed from
/// the database's own buffers. Every change is durable when its future resolves, or has not happened.
///
/// # What storage upholds
/// The descriptor says it; the adapter sees to it, and tells by [`Outcome::Failed`] what forbids a change:
///
/// - **Keys** of integer kinds are assigned by storage, upwards and none of them twice, not even when its record is
///   gone. All others come with the record; one that is taken is [`AdapterError::Unique`] of the key's column.
/// - **Unique values**: of a column's [`unique`](crate::descriptor::ColumnDescriptor::unique), among all records or
///   those that are not soft-deleted, and of the groups of [`Descriptor::uniques`], among all records. Null is like
///   no other value, and in a group that has it neither is the group.
/// - **References** lead to a record that is there. One that a change begins must not lead to a soft-deleted record,
///   and one that was there before may; a restore asks nothing of them. When a record is removed, those that refer to
///   it [forbid that, go too or let go](crate::descriptor::OnDelete), whether they are soft-deleted or not. What goes
///   too has no audit entry, and what lets go keeps its time of update. A soft delete touches nothing but its record.
/// - **Soft delete** is the deletion timestamp, in the column of
///   [`SoftDelete::deleted_at`](crate::descriptor::SoftDelete); the column of
///   [`Role::IsDeleted`](crate::descriptor::Role) says whether there is one, and need not be stored. Neither a
///   soft delete nor a restore sets the time of update.
/// - **The order of values** is that of [`ListQuery::sort`], for filters too.
///
/// The example `own-adapter` is an adapter for the memory of the process, written against this trait from outside.
pub trait Adapter: fmt::Debug + Send + Sync + 'static {
    /// Creates what is missing for these resources and refuses what contradicts them; never drops or
    /// alters anything. Resources come in an order in which references point backwards, cycles apart.
    ///
    /// # Errors
    /// [`MigrateError::Mismatch`] lists every difference.
    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>>;

    /// What [`migrate`](Self::migrate) would do, a statement each, without doing it.
    ///
    /// # Errors
    /// Those of [`migrate`](Self::migrate).
    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>>;

    /// How tables change by written migrations; `None`, unless overridden, of storage that has no such thing.
    #[cfg(feature = "migrations")]
    fn migrations(&self) -> Option<&dyn migrations::Migrations> {
        None
    }

    /// Whether the database answers.
    fn ping(&self) -> BoxFuture<'_, Result<(), AdapterError>>;

    /// Hands the records of a query to `sink`, in its order.
    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>>;

    /// Counts the records that satisfy a predicate.
    fn count<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
    ) -> BoxFuture<'a, Result<u64, AdapterError>>;

    /// Hands the record of a key to `sink`, soft-deleted or not; `false` when there is none.
    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Value,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>>;

    /// Runs changes in one transaction, with their audit entries; what became of each, in order.
    ///
    /// Of a change, a missing record is told before its guard is asked, a guard's refusal before the record's
    /// [wrong state](Outcome::WrongState), that before what forbids it.
    ///
    /// Records are handed to `sink` once everything is durable. Where the [mode](Write::mode) says that none
    /// happens, the outcomes tell every change that could not, and of the others only that they could.
    ///
    /// # Errors
    /// When the database fails in a way that is no single change's fault; nothing has happened then.
    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, AdapterError>>;

    /// Restores or removes every soft-deleted record that satisfies a predicate, in one transaction with
    /// the audit entries; how many. The greatest key comes first, because what refers to a record of its own kind is
    /// most often newer.
    ///
    /// # Errors
    /// The first reason why one of them could not be; nothing has happened then.
    fn write_where<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: WriteWhere<'a>,
    ) -> BoxFuture<'a, Result<u64, AdapterError>>;

    /// How far storage has got: behind everything that it has written, or that it has taken over where it is a
    /// replica. `None` where storage has no replicas, as by default.
    fn position(&self) -> BoxFuture<'_, Result<Option<Position>, AdapterError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Takes note of how long requests may take: what takes longer in the database, nobody waits for. By default
    /// that is none of an adapter's business.
    fn set_time_limit(&self, _limit: Duration) {}
}

/// Changes of one kind that belong together.
///
/// The time of a change is the adapter's to take ([`text::stamp`](crate::text::stamp)), with the records
/// locked, so that the order of times is the order of changes: it goes into the columns of
/// [`Role::CreatedAt`](crate::descriptor::Role), `UpdatedAt` and `DeletedAt`, and to the [`Recorder`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Write<'a> {
    /// What is to be done.
    pub work: Work<'a>,
    /// What becomes of the others when one cannot happen.
    pub mode: Mode,
    /// Makes the audit entry of each change that happened and changed something, in order. It is shared, as guards are,
    /// so that an adapter can make a change elsewhere than in the request's own task.
    pub recorder: Option<Arc<dyn Recorder>>,
}

impl<'a> Write<'a> {
    /// In this mode.
    pub const fn new(work: Work<'a>, mode: Mode, recorder: Option<Arc<dyn Recorder>>) -> Self {
        Self { work, mode, recorder }
    }

    /// All of this work or none of it.
    pub const fn atomic(work: Work<'a>, recorder: Option<Arc<dyn Recorder>>) -> Self {
        Self { work, mode: Mode::Atomic, recorder }
    }

    /// As much of this work as can be done.
    pub const fn partial(work: Work<'a>, recorder: Option<Arc<dyn Recorder>>) -> Self {
        Self { work, mode: Mode::Partial, recorder }
    }
}

/// What becomes of the changes of a write when one of them cannot happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// None happens.
    Atomic,
    /// The one that cannot leaves nothing behind, and the others stand.
    Partial,
    /// None happens in any case: this finds out which could.
    Rehearsal,
}

/// What a write does, to different records.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Work<'a> {
    /// Inserts records: a value for every column. That of a key which storage assigns is null and to be
    /// passed over; the times of creation and update are the adapter's. A record may refer to one before it.
    Insert(&'a [Vec<Value>]),
    /// Changes records.
    ///
    /// An update in which no value [differs](is_same) from the stored one leaves the record as it is and is
    /// [`Outcome::Done`] too, without audit entry. One that changes something sets the time of update, and restores where soft
    /// delete says [`auto_restore_on_update`](crate::descriptor::SoftDelete); of a soft-deleted record
    /// that alone is a change.
    Update(&'a [Update<'a>]),
    /// Sets the deletion timestamp of records that have none.
    SoftDelete(&'a [Target<'a>]),
    /// Takes the deletion timestamp from records that have one.
    Restore(&'a [Target<'a>]),
    /// Removes records, which are handed to the sink as they were.
    Delete(&'a [Target<'a>]),
    /// Removes records that are soft-deleted.
    Purge(&'a [Target<'a>]),
}

impl Work<'_> {
    /// How many records it is about.
    pub const fn len(&self) -> usize {
        match self {
            Self::Insert(records) => records.len(),
            Self::Update(updates) => updates.len(),
            Self::SoftDelete(targets) | Self::Restore(targets) | Self::Delete(targets) | Self::Purge(targets) => {
                targets.len()
            }
        }
    }

    /// Whether there is nothing to do.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A change of one record.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Update<'a> {
    /// The record's key.
    pub id: &'a Value,
    /// The new values.
    pub changes: &'a Changes,
    /// Asked before anything is written, with the record locked against other writers.
    pub guard: Option<Arc<dyn Guard>>,
}

impl<'a> Update<'a> {
    /// Changes the record of a key.
    pub const fn new(id: &'a Value, changes: &'a Changes, guard: Option<Arc<dyn Guard>>) -> Self {
        Self { id, changes, guard }
    }
}

/// A record to delete or restore.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Target<'a> {
    /// The record's key.
    pub id: &'a Value,
    /// Asked before anything is written, with the record locked against other writers.
    pub guard: Option<Arc<dyn Guard>>,
}

impl<'a> Target<'a> {
    /// The record of a key.
    pub const fn new(id: &'a Value, guard: Option<Arc<dyn Guard>>) -> Self {
        Self { id, guard }
    }
}

/// A change of every soft-deleted record that satisfies a predicate.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WriteWhere<'a> {
    /// What is to be done.
    pub work: WorkWhere,
    /// To which of the soft-deleted records.
    pub filter: &'a Predicate,
    /// Makes the audit entry of each change.
    pub recorder: Option<Arc<dyn Recorder>>,
}

impl<'a> WriteWhere<'a> {
    /// Does this to every soft-deleted record that satisfies the predicate.
    pub const fn new(work: WorkWhere, filter: &'a Predicate, recorder: Option<Arc<dyn Recorder>>) -> Self {
        Self { work, filter, recorder }
    }
}

/// What can be done to many soft-deleted records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkWhere {
    /// As [`Work::Restore`].
    Restore,
    /// As [`Work::Purge`].
    Purge,
}

/// Makes the audit entries of changes, which an adapter inserts in the changes' own transaction.
pub trait Recorder: fmt::Debug + Send + Sync {
    /// The resource that audit entries are records of.
    fn log(&self) -> &'static Descriptor;

    /// The entry of a change at this time: a record to insert into the [log](Self::log), with JSON as
    /// [text](Value::JsonText). An insert has no record before, a delete none after.
    ///
    /// # Errors
    /// Those of reading the rows.
    fn entry(
        &self,
        time: DateTime<Utc>,
        before: Option<&dyn Row>,
        after: Option<&dyn Row>,
    ) -> Result<Vec<Value>, AdapterError>;
}

/// A condition on the stored record that a change depends on, compared and written atomically.
pub trait Guard: fmt::Debug + Send + Sync {
    /// Whether the change may happen to this record.
    ///
    /// # Errors
    /// Those of reading the row.
    fn admits(&self, current: &dyn Row) -> Result<bool, AdapterError>;
}

/// What became of a change.
#[derive(Debug)]
pub enum Outcome {
    /// It happened, and the record was handed to the sink.
    Done,
    /// There is no such record.
    Missing,
    /// The record is not in the state that the change needs: soft-deleted already, or not soft-deleted.
    WrongState,
    /// The guard refused it.
    Refused,
    /// The database refused it, for this reason.
    Failed(AdapterError),
}

/// A stored record, borrowed.
pub trait Row {
    /// The value of the column at this index of the descriptor.
    ///
    /// # Errors
    /// [`AdapterError::Corrupt`] when storage holds what the column cannot.
    fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError>;
}

/// Takes records as they come.
pub trait RowSink: Send {
    /// Takes the next record.
    ///
    /// # Errors
    /// Those of reading the row; they end the query.
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError>;
}

/// Takes the records of a write.
pub trait WriteSink: Send {
    /// Takes the record of the change with this index: as it is stored now, a removed one as it was.
    ///
    /// # Errors
    /// Those of reading the row.
    fn record(&mut self, index: usize, row: &dyn Row) -> Result<(), AdapterError>;
}

/// Why an adapter could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdapterError {
    /// Another record holds a value that must be unique.
    #[error("a unique constraint refused columns {columns:?}")]
    Unique {
        /// The columns whose values collide together; empty where the database does not tell.
        columns: Vec<usize>,
    },
    /// A reference points to no record.
    #[error("a foreign key refused columns {columns:?}")]
    ReferenceNotFound {
        /// The referring columns; empty where the database does not tell.
        columns: Vec<usize>,
    },
    /// Other records refer to the one to be deleted.
    #[error("other records refer to it")]
    Referenced,
    /// A CHECK or NOT NULL constraint refused a value.
    #[error("a constraint refused column {column:?}")]
    Constraint {
        /// The column, where the database tells.
        column: Option<usize>,
    },
    /// Storage holds a value that the column's type cannot.
    #[error("column `{column}` holds what its type cannot: {error}")]
    Corrupt {
        /// The column's name.
        column: &'static str,
        /// What is wrong.
        error: ColumnError,
    },
    /// The database cannot be reached, or is too busy; trying again later may help.
    #[error("the database is unavailable")]
    Unavailable(#[source] BoxError),
    /// The database gave up because the work took too long.
    #[error("the database gave up: it took too long")]
    Timeout,
    /// Anything else.
    #[error("the database failed")]
    Other(#[source] BoxError),
}

impl AdapterError {
    /// Whether it is the fault of what was to be written, and not of the database or its way.
    pub const fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Unique { .. } | Self::ReferenceNotFound { .. } | Self::Referenced | Self::Constraint { .. }
        )
    }
}

/// `` `a`, `b` have ``.
fn has(names: &[String]) -> String {
    let list: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("{} {}", list.join(", "), if names.len() == 1 { "has" } else { "have" })
}

/// Any error, with its cause.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a database could not be made ready for the resources.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MigrateError {
    /// The database contradicts the structs: every difference, a line each, such as
    /// ``table `products`, column `price`: is TEXT, must be REAL``.
    #[error("the database does not fit the resources:\n  {}", .0.join("\n  "))]
    Mismatch(Vec<String>),
    /// The storage does not change by written migrations.
    #[error("this storage has no migrations")]
    Unsupported,
    /// The directory of migrations cannot be read or written.
    #[error("the migrations in `{}` cannot be used: {reason}", directory.display())]
    Directory {
        /// The directory.
        directory: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Migrations of the directory have not been applied: their files' names.
    #[error("the database is behind: {} not been applied", has(.0))]
    Behind(Vec<String>),
    /// The database has migrations that the directory lacks: their versions.
    #[error("the database is ahead: {} been applied, and {} not in the directory of migrations", has(.0), if .0.len() == 1 { "is" } else { "are" })]
    Ahead(Vec<String>),
    /// Files were changed after they had been applied: their names.
    #[error("{} been changed after it was applied: put it back as it was, and write another migration", has(.0))]
    Changed(Vec<String>),
    /// A migration was applied in part and then failed, on a database that cannot take that back by itself.
    #[error(
        "`{0}` was applied in part, unless another process is at it: put the database right by hand, then delete the \
         row from `_sqlx_migrations`"
    )]
    Interrupted(String),
    /// A migration cannot be applied, or taken back; of it, nothing has happened unless the database keeps parts.
    #[error("`{name}` failed: {reason}")]
    Failed {
        /// The file's name.
        name: String,
        /// What the database says.
        reason: String,
    },
    /// The database failed.
    #[error(transparent)]
    Adapter(#[from] AdapterError),
}
