//! [`Driver`]: what changes ask of a database beyond its dialect.

use std::future::ready;

use super::dialect::Dialect;
#[cfg(feature = "migrations")]
use super::schema::alteration::Alteration;
use super::schema::index_use::IndexReads;
use super::schema::table::{Named, Reads, Table, TableName};
use super::statement::Statement;
use super::write::change::Attempt;
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::row::Row;
use crate::model::value::{Value, ValueRef};
use crate::query::JoinedColumn;
use crate::storage::adapter::{AdapterFuture, BoxFuture};
use crate::storage::facts::TableFacts;
use crate::storage::migrate_error::MigrateError;
use crate::storage::rights::Rights;
use crate::storage::write::Write;

/// A connection of the driver's.
pub(crate) type Connection<E> = <E as Driver>::Connection;

/// A row of the driver's.
pub(crate) type DatabaseRow<E> = <E as Driver>::Row;

/// Result of a call on a driver's connection, to be awaited.
pub(crate) type Driven<'a, T, D> = BoxFuture<'a, Result<T, <D as Driver>::Error>>;

/// A dialect with the database that speaks it.
pub(crate) trait Driver: Dialect<Argument: Send + Sync> + 'static {
    /// A connection.
    type Connection: Send + 'static;

    /// A row of a statement.
    type Row: Send + Sync;

    /// Error of a statement.
    type Error: Send + Sync + 'static;

    /// Decoded values that cannot borrow from the driver's row.
    type Decoded: Default;

    /// Ends a transaction whose begin was given up before its answer; without one it does nothing.
    #[cfg_attr(not(any(feature = "mysql", feature = "postgres")), allow(dead_code, reason = "servers alone have it"))]
    const ABANDON: &'static str = "ROLLBACK";

    /// Runs [`ABANDON`](Self::ABANDON) on a connection whose statement may have been given up; whether the connection can be
    /// used again.
    #[cfg_attr(not(any(feature = "mysql", feature = "postgres")), allow(dead_code, reason = "servers alone have it"))]
    fn abandon(connection: &mut Self::Connection) -> Driven<'_, bool, Self> {
        Box::pin(async move { Self::execute(connection, Self::ABANDON).await.map(|()| true) })
    }

    /// Whether [`change_optimistically`](Self::change_optimistically) is there.
    const OPTIMISTIC: bool = false;

    /// Makes the one change of a write without a transaction: over the version of the record that was read alone.
    fn change_optimistically<'a>(
        _: &'a mut Self::Connection,
        _: &'static Descriptor,
        _: &'a Write<'_>,
    ) -> AdapterFuture<'a, Attempt<Self>> {
        Box::pin(ready(Ok(Attempt::Undecided)))
    }

    /// Says whether the next statements end before their thread is missed. A server's statements do not keep the thread.
    fn expect_inline(_: &mut Self::Connection, _inline: bool) {}

    /// Begins a transaction by this statement; within one, a savepoint.
    fn begin<'a>(connection: &'a mut Self::Connection, statement: &'static str) -> Driven<'a, (), Self>;

    /// Commits the transaction, or releases its latest savepoint.
    fn commit(connection: &mut Self::Connection) -> Driven<'_, (), Self>;

    /// Rolls the transaction back, or to its latest savepoint, which is gone then.
    fn rollback(connection: &mut Self::Connection) -> Driven<'_, (), Self>;

    /// Starts a rollback that runs before the connection's next use, where nothing can be awaited.
    fn start_rollback(connection: &mut Self::Connection);

    /// Whether a transaction has begun.
    fn is_in_transaction(connection: &Self::Connection) -> bool;

    /// Runs a statement to its end; the rows.
    ///
    /// A change must be run this way: outside of a transaction it is committed when it ends, and a commit can fail
    /// after the rows of `RETURNING` were there.
    fn all(connection: &mut Self::Connection, statement: Statement<Self>) -> Driven<'_, Vec<Self::Row>, Self>;

    /// Runs a statement and passes each row as it is read.
    fn each<'a>(
        connection: &'a mut Self::Connection,
        statement: Statement<Self>,
        each: &'a mut (dyn FnMut(&Self::Row) -> Result<(), AdapterError> + Send),
    ) -> AdapterFuture<'a, ()>;

    /// Runs a statement to its end; the number of rows that it changed.
    fn change(connection: &mut Self::Connection, statement: Statement<Self>) -> Driven<'_, u64, Self>;

    /// The whole number in the first column of a row.
    fn number_in(row: &Self::Row, column: usize) -> Result<i64, Self::Error>;

    /// Runs a statement of the program's own that binds nothing and returns nothing.
    fn execute<'a>(connection: &'a mut Self::Connection, text: &'static str) -> Driven<'a, (), Self>;

    /// The value of the column that has this index.
    ///
    /// # Errors
    /// When storage holds what the column cannot.
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

    /// Translates an error of the commit of a transaction on any tables: a constraint that is deferred refuses it.
    fn translate_commit(error: Self::Error) -> AdapterError;

    /// Translates an error that has nothing to do with the text of a statement.
    fn general(error: Self::Error) -> AdapterError;

    /// Whether a write that failed with this error is retried: a concurrent writer was in its way, and it left nothing
    /// behind.
    fn is_conflict(_: &AdapterError) -> bool {
        false
    }

    /// Whether statements are prepared again when the table that they were prepared for has changed.
    const PREPARES_AGAIN: bool = false;

    /// Whether a statement failed because the connection had prepared it for a table that has changed since. The connection
    /// has forgotten its statements then: repeated, it is prepared again.
    fn is_outdated(_: &AdapterError) -> bool {
        false
    }

    /// Names the columns that a refusal of these values leaves open, where the database can be asked.
    fn explain<'a>(
        _: &'a mut Self::Connection,
        _: &'static Descriptor,
        error: AdapterError,
        _: Vec<(usize, &'a Value)>,
    ) -> BoxFuture<'a, AdapterError> {
        Box::pin(ready(error))
    }

    /// Reads the tables of these names, in their order; `None` for one that is not there. A statement for each kind of thing
    /// reads those of all tables.
    fn described<'a>(connection: &'a mut Self::Connection, names: Vec<&'a str>)
    -> Driven<'a, Vec<Option<Table>>, Self>;

    /// Reads the table of this name, if there is one.
    fn table<'a>(connection: &'a mut Self::Connection, name: &'a str) -> Driven<'a, Option<Table>, Self> {
        Box::pin(async move { Ok(Self::described(connection, vec![name]).await?.pop().flatten()) })
    }

    /// Reads the facts of these tables, of each that is there.
    fn facts<'a>(connection: &'a mut Self::Connection, tables: Vec<&'static str>) -> Driven<'a, Vec<TableFacts>, Self>;

    /// Names the tables of the database's own schema, without the parts of others and without indexes of words.
    fn tables(connection: &mut Self::Connection) -> Driven<'_, Vec<TableName>, Self>;

    /// Whether there is a schema of this name, where the database has schemas.
    fn has_schema<'a>(_: &'a mut Self::Connection, _schema: &'a str) -> Driven<'a, bool, Self> {
        Box::pin(ready(Ok(true)))
    }

    /// Names the tables of other schemas that have the names of these tables, each after the name that it has here, as far as
    /// their records can be read and the schemas are parts of one database.
    fn elsewhere<'a>(
        _: &'a mut Self::Connection,
        _tables: Vec<&'static str>,
    ) -> Driven<'a, Vec<(&'static str, String)>, Self> {
        Box::pin(ready(Ok(Vec::new())))
    }

    /// Whether the name of an index is one of its table alone, and a statement names both.
    const INDEXES_BELONG_TO_TABLES: bool = false;

    /// Counts the reads of tables and indexes, where the database has counted them.
    fn index_reads(_: &mut Self::Connection) -> Driven<'_, IndexReads, Self> {
        Box::pin(ready(Ok(IndexReads::default())))
    }

    /// Rights that the connection's user lacks, of the tables of these resources that are there.
    fn rights<'a>(_: &'a mut Self::Connection, _: &'a [&'static Descriptor]) -> Driven<'a, Rights, Self> {
        Box::pin(ready(Ok(Rights::default())))
    }

    /// Reads what has the name of each of these views, in their order, if there is anything.
    fn views<'a>(connection: &'a mut Self::Connection, names: Vec<&'a str>) -> Driven<'a, Vec<Option<Named>>, Self>;

    /// Names the tables and views that each of these views reads, through other views too.
    fn reads<'a>(connection: &'a mut Self::Connection, views: Vec<&'a str>) -> Driven<'a, Vec<Reads>, Self>;

    /// Whether the name of an index is taken, where such names are unique among all tables.
    fn is_taken<'a>(_: &'a mut Self::Connection, _name: &'a str) -> Driven<'a, bool, Self> {
        Box::pin(ready(Ok(false)))
    }

    /// Finds what does not fit about the database itself, and the names that are too long for it.
    fn unfit<'a>(
        connection: &'a mut Self::Connection,
        resources: &'a [&'static Descriptor],
    ) -> Driven<'a, Vec<String>, Self>;

    /// Creates what is missing, under a lock that other processes wait for. Called when nothing is unfit.
    fn create<'a>(
        connection: &'a mut Self::Connection,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<(), MigrateError>>;

    /// Alteration of existing tables.
    #[cfg(feature = "migrations")]
    const ALTERATION: Alteration<Self::Connection, Self::Error>;

    /// On a server: the statement that prepares a connection for migrations. A statement takes its time, but does not wait
    /// long for a lock, as the requests of a service would wait behind it.
    #[cfg(all(feature = "migrations", any(feature = "mysql", feature = "postgres")))]
    const PREPARE_MIGRATION: &'static str = "";

    /// Statement that returns the number of its session, which no other session has; `None` where each connection is one.
    /// Behind a pooler of transactions, each statement of a connection may run in another session.
    #[cfg(all(feature = "migrations", any(feature = "mysql", feature = "postgres")))]
    const SESSION: Option<&'static str> = None;

    /// Statement that tries to take the lock on the history of migrations, and returns 1 when it is taken; `None` without such
    /// a lock. It is released when the connection closes.
    #[cfg(feature = "migrations")]
    const LOCK_HISTORY: Option<&'static str> = None;

    /// Statement that creates the table of applied migrations if it is missing, as sqlx does.
    #[cfg(feature = "migrations")]
    const CREATE_HISTORY: &'static str = "CREATE TABLE IF NOT EXISTS _crud_migrations (
        version BIGINT PRIMARY KEY,
        description TEXT NOT NULL,
        installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
        success BOOLEAN NOT NULL,
        checksum BLOB NOT NULL,
        execution_time BIGINT NOT NULL
    )";

    /// Literal of bytes, from their hexadecimal digits.
    #[cfg(feature = "migrations")]
    const BYTES: fn(&str) -> String = |digits| format!("X'{digits}'");

    /// The type that a value of any type is cast to, to be read as text.
    #[cfg(feature = "migrations")]
    const TEXT_OF_ANY: &'static str = "TEXT";

    /// Whether a statement that changes tables is part of a transaction.
    #[cfg(feature = "migrations")]
    const TRANSACTIONAL_DDL: bool = true;

    /// Runs statements of a migration to their end.
    #[cfg(feature = "migrations")]
    fn script(connection: &mut Self::Connection, text: String) -> Driven<'_, (), Self>;

    /// Message of the database for an error.
    #[cfg(feature = "migrations")]
    fn message(error: &Self::Error) -> String;

    /// Finds the reason of a failed statement, where the database's message leaves it out.
    #[cfg(feature = "migrations")]
    fn further_reason<'a>(_: &'a mut Self::Connection, _message: &'a str) -> Driven<'a, Option<String>, Self> {
        Box::pin(ready(Ok(None)))
    }

    /// Whether a statement that changes tables failed because it was done before.
    #[cfg(feature = "migrations")]
    fn is_done(_: &Self::Error) -> bool {
        false
    }

    /// Whether a statement failed because another transaction had a lock.
    #[cfg(feature = "migrations")]
    fn is_locked(_: &Self::Error) -> bool {
        false
    }

    /// Settings before and after a statement that waits for other transactions while none waits behind it.
    #[cfg(feature = "migrations")]
    fn patience(_statement: &str) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Removes leftovers of a statement that was interrupted or failed, on which its repetition would fail.
    #[cfg(feature = "migrations")]
    fn prepare_repetition<'a>(_: &'a mut Self::Connection, _statement: &'a str) -> Driven<'a, (), Self> {
        Box::pin(ready(Ok(())))
    }
}

/// The number in the first row of a statement, if it has a row.
pub(crate) async fn first_number<D: Driver>(
    connection: &mut Connection<D>,
    statement: Statement<D>,
) -> Result<Option<i64>, D::Error> {
    let rows = D::all(connection, statement).await?;
    rows.first().map(|row| D::number_in(row, 0)).transpose()
}

/// Purpose of a lock on records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    /// To stay as they are.
    Share,
    /// To be changed, except for their key.
    Change,
    /// To be removed.
    Remove,
}

/// A row of `SELECT <all columns>` as a record.
pub(crate) struct Record<'a, E: Driver> {
    resource: &'static Descriptor,
    /// The columns after the resource's.
    joined: &'a [JoinedColumn],
    row: &'a DatabaseRow<E>,
    decoded: E::Decoded,
}

impl<'a, E: Driver> Record<'a, E> {
    /// The record in a row.
    pub(crate) fn new(resource: &'static Descriptor, row: &'a DatabaseRow<E>) -> Self {
        Self::joined(resource, &[], row)
    }

    /// The record in a row that has these columns after the resource's.
    pub(crate) fn joined(resource: &'static Descriptor, joined: &'a [JoinedColumn], row: &'a DatabaseRow<E>) -> Self {
        Self { resource, joined, row, decoded: E::Decoded::default() }
    }
}

/// The column at an index of a record that has these columns after the resource's.
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
