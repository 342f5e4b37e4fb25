//! [`Execution`]: how the statements of a dialect run on a connection. [`Driver`]: what changes need beyond that.

use std::future::ready;

use super::change::Attempt;
use super::dialect::Dialect;
use super::statement::Statement;
use crate::model::adapter_error::AdapterError;
use crate::model::column::Column as _;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::row::Row;
use crate::model::value::{Value, ValueRef};
use crate::query::JoinedColumn;
use crate::storage::adapter::{AdapterFuture, BoxFuture};
use crate::storage::write::Write;

/// A connection of the driver's.
pub(crate) type Connection<E> = <E as Execution>::Connection;

/// A row of the driver's.
pub(crate) type DatabaseRow<E> = <E as Execution>::Row;

/// Result of a call on a driver's connection, to be awaited.
pub(crate) type Driven<'a, T, D> = BoxFuture<'a, Result<T, <D as Execution>::Error>>;

/// A dialect, and how its statements run on a connection.
pub(crate) trait Execution: Dialect<Argument: Send + Sync> + 'static {
    /// A connection.
    type Connection: Send + 'static;

    /// A row of a statement.
    type Row: Send + Sync;

    /// Error of a statement.
    type Error: Send + Sync + 'static;

    /// Begins a transaction with this statement, or a savepoint within a transaction.
    fn begin<'a>(connection: &'a mut Self::Connection, statement: &'static str) -> Driven<'a, (), Self>;

    /// Commits the transaction, or releases its latest savepoint.
    fn commit(connection: &mut Self::Connection) -> Driven<'_, (), Self>;

    /// Rolls the transaction back; or rolls back to its latest savepoint and removes that.
    fn rollback(connection: &mut Self::Connection) -> Driven<'_, (), Self>;

    /// Starts a rollback that runs before the connection's next use, for callers that cannot await it.
    fn start_rollback(connection: &mut Self::Connection);

    /// Whether the connection is in a transaction.
    fn is_in_transaction(connection: &Self::Connection) -> bool;

    /// Runs a statement to its end and returns its rows.
    ///
    /// Changes must run this way: outside of a transaction a statement is committed when it ends, and the commit can
    /// fail after the rows of `RETURNING` have arrived.
    fn all(connection: &mut Self::Connection, statement: Statement<Self>) -> Driven<'_, Vec<Self::Row>, Self>;

    /// Runs a statement and passes on each row while it reads them.
    fn each<'a>(
        connection: &'a mut Self::Connection,
        statement: Statement<Self>,
        each: &'a mut (dyn FnMut(&Self::Row) -> Result<(), AdapterError> + Send),
    ) -> AdapterFuture<'a, ()>;

    /// Runs a statement to its end and returns the number of rows that it changed.
    fn change(connection: &mut Self::Connection, statement: Statement<Self>) -> Driven<'_, u64, Self>;

    /// The whole number in the first column of a row.
    fn number_in(row: &Self::Row, column: usize) -> Result<i64, Self::Error>;

    /// Runs a constant statement, which binds and returns nothing.
    fn execute<'a>(connection: &'a mut Self::Connection, text: &'static str) -> Driven<'a, (), Self>;

    /// Translates an error that is not about the text of a statement.
    fn general(error: Self::Error) -> AdapterError;

    /// Runs the statements of a migration's script to their end.
    #[cfg(feature = "migrations")]
    fn script(connection: &mut Self::Connection, text: String) -> Driven<'_, (), Self>;

    /// Message of the database for an error.
    #[cfg(feature = "migrations")]
    fn message(error: &Self::Error) -> String;
}

/// A database: its values, its errors, and what it does in another way than others.
pub(crate) trait Driver: Execution {
    /// Decoded values that cannot borrow from the driver's row.
    type Decoded: Default;

    /// Ends a transaction whose `BEGIN` was given up before its answer; does nothing without a transaction.
    const ABANDON: &'static str = "ROLLBACK";

    /// Runs [`ABANDON`](Self::ABANDON) on a connection whose statement may have been given up. Returns whether the
    /// connection can be used again.
    fn abandon(connection: &mut Self::Connection) -> Driven<'_, bool, Self> {
        Box::pin(async move { Self::execute(connection, Self::ABANDON).await.map(|()| true) })
    }

    /// Whether the driver implements [`change_optimistically`](Self::change_optimistically).
    const OPTIMISTIC: bool = false;

    /// Applies the one change of a write without a transaction. It only overwrites the version of the record that was
    /// read.
    fn change_optimistically<'a>(
        _: &'a mut Self::Connection,
        _: &'static Descriptor,
        _: &'a Write<'_>,
    ) -> AdapterFuture<'a, Attempt<Self>> {
        Box::pin(ready(Ok(Attempt::Undecided)))
    }

    /// States whether the next statements are short enough to run on the thread of their request. Statements of a
    /// server do not block it.
    fn expect_inline(_: &mut Self::Connection, _inline: bool) {}

    /// The value of a column, which is at this index in the row.
    ///
    /// # Errors
    /// When the stored value is not valid for the column.
    fn value<'r>(
        column: &ColumnDescriptor,
        index: usize,
        row: &'r DatabaseRow<Self>,
        decoded: &'r Self::Decoded,
    ) -> Result<ValueRef<'r>, ColumnError>;

    /// Translates an error of a statement on the resource's table.
    fn translate(resource: &'static Descriptor, error: Self::Error) -> AdapterError;

    /// Translates an error of a delete.
    fn translate_delete(error: Self::Error) -> AdapterError;

    /// Translates an error of the commit of a transaction on any tables, which a deferred constraint can refuse.
    fn translate_commit(error: Self::Error) -> AdapterError;

    /// Whether a write that failed with this error is retried: a concurrent writer was in its way, and nothing of the
    /// write is stored.
    fn is_conflict(_: &AdapterError) -> bool {
        false
    }

    /// Whether statements are prepared again when the table that they were prepared for has changed.
    const PREPARES_AGAIN: bool = false;

    /// Whether a statement failed because its table has changed since the connection prepared it. The connection has
    /// then forgotten its prepared statements, so that a retry prepares the statement again.
    fn is_outdated(_: &AdapterError) -> bool {
        false
    }

    /// Names the columns that a refusal leaves open, by asking the database about these values.
    fn explain<'a>(
        _: &'a mut Self::Connection,
        _: &'static Descriptor,
        error: AdapterError,
        _: Vec<(usize, &'a Value)>,
    ) -> BoxFuture<'a, AdapterError> {
        Box::pin(ready(error))
    }
}

/// The number in the first row of a statement; `None` without a row.
pub(crate) async fn first_number<D: Driver>(
    connection: &mut Connection<D>,
    statement: Statement<D>,
) -> Result<Option<i64>, D::Error> {
    let rows = D::all(connection, statement).await?;
    rows.first().map(|row| D::number_in(row, 0)).transpose()
}

/// The text in a column of a row; none where it is null.
pub(crate) fn text_in<D: Driver>(row: &DatabaseRow<D>, column: usize) -> Option<String> {
    const TEXT: ColumnDescriptor = Option::<String>::TYPE.column("text", "");
    match D::value(&TEXT, column, row, &D::Decoded::default()) {
        Ok(ValueRef::Text(text)) => Some(text.to_owned()),
        _ => None,
    }
}

/// A row of `SELECT <all columns>` as a record.
pub(crate) struct Record<'a, E: Driver> {
    resource: &'static Descriptor,
    /// The joined columns, which follow the resource's.
    joined: &'a [JoinedColumn],
    row: &'a DatabaseRow<E>,
    decoded: E::Decoded,
}

impl<'a, E: Driver> Record<'a, E> {
    /// The record in a row.
    pub(crate) fn new(resource: &'static Descriptor, row: &'a DatabaseRow<E>) -> Self {
        Self::joined(resource, &[], row)
    }

    /// The record in a row with the `joined` columns after the resource's.
    pub(crate) fn joined(resource: &'static Descriptor, joined: &'a [JoinedColumn], row: &'a DatabaseRow<E>) -> Self {
        Self { resource, joined, row, decoded: E::Decoded::default() }
    }
}

/// The column at an index of a record with the `joined` columns after the resource's.
pub(crate) fn column_of<'a>(
    resource: &'static Descriptor,
    joined: &'a [JoinedColumn],
    column: usize,
) -> &'a ColumnDescriptor {
    match column.checked_sub(resource.columns.len()) {
        None => &resource.columns[column],
        Some(index) => joined[index].descriptor(),
    }
}

impl<E: Driver> Row for Record<'_, E> {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
        let descriptor = column_of(self.resource, self.joined, column);
        E::value(descriptor, column, self.row, &self.decoded)
            .map_err(|error| AdapterError::Corrupt { column: descriptor.column, error })
    }
}
