//! [`Adapter`]: what a database has to do for a service.

#[cfg(feature = "sqlite")]
pub mod sql;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::changes::Changes;
use crate::column::ColumnError;
use crate::descriptor::Descriptor;
use crate::query::{ListQuery, Predicate};
use crate::value::{Value, ValueRef};

#[cfg(feature = "sqlite")]
pub use self::sql::SqliteAdapter;

/// A boxed future, so that [`Adapter`] is object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Storage for resources: maps between stored records and rows of values.
///
/// Requests reach an adapter parsed and checked against the resource's [`Descriptor`]; every method
/// works on any resource, by column index. Records are handed out through a [`RowSink`], borrowed from
/// the database's own buffers. Every change is durable when its future resolves, or has not happened.
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

    /// Hands the record of a key to `sink`; `false` when there is none.
    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Value,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>>;

    /// Inserts a record and hands it to `sink` as it is stored.
    fn insert<'a>(
        &'a self,
        resource: &'static Descriptor,
        insert: Insert<'a>,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>>;

    /// Changes a record and hands it to `sink` as it is stored then. An update in which no value
    /// differs from the stored one leaves the record as it is and is [`Outcome::Done`] too.
    fn update<'a>(
        &'a self,
        resource: &'static Descriptor,
        update: Update<'a>,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<Outcome, AdapterError>>;

    /// Removes a record and hands it to `sink` as it was.
    fn delete<'a>(
        &'a self,
        resource: &'static Descriptor,
        delete: Delete<'a>,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<Outcome, AdapterError>>;
}

/// A record to insert.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Insert<'a> {
    /// A value for every column; that of a key which storage assigns is null and to be passed over.
    pub record: &'a [Value],
}

impl<'a> Insert<'a> {
    /// Inserts this record.
    pub const fn new(record: &'a [Value]) -> Self {
        Self { record }
    }
}

/// A change of one record.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Update<'a> {
    /// The record's key.
    pub id: &'a Value,
    /// The new values.
    pub changes: &'a Changes,
    /// More new values, written only when one of `changes` differs from what is stored: the time of the
    /// update.
    pub touch: &'a Changes,
    /// Asked before anything is written, with the record locked against other writers.
    pub guard: Option<&'a dyn Guard>,
}

impl<'a> Update<'a> {
    /// Changes the record of a key.
    pub const fn new(id: &'a Value, changes: &'a Changes, touch: &'a Changes, guard: Option<&'a dyn Guard>) -> Self {
        Self { id, changes, touch, guard }
    }
}

/// The removal of one record.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Delete<'a> {
    /// The record's key.
    pub id: &'a Value,
    /// Asked before anything is removed, with the record locked against other writers.
    pub guard: Option<&'a dyn Guard>,
}

impl<'a> Delete<'a> {
    /// Removes the record of a key.
    pub const fn new(id: &'a Value, guard: Option<&'a dyn Guard>) -> Self {
        Self { id, guard }
    }
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It happened, and the record was handed to the sink.
    Done,
    /// There is no such record.
    Missing,
    /// The guard refused it; nothing changed.
    Refused,
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
    /// The database failed.
    #[error(transparent)]
    Adapter(#[from] AdapterError),
}
