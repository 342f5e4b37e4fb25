//! [`SchemaDriver`]: a driver whose database describes its tables, and changes them.

use std::future::ready;

#[cfg(feature = "migrations")]
use super::alteration::Alteration;
use super::index_reads::IndexReads;
use super::table::{Named, Parts, Reads, Table, TableName};
use crate::driver::{Driven, Driver};
use crate::model::descriptor::Descriptor;
use crate::storage::adapter::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::rights::Rights;

/// A driver whose database describes its tables, and changes them.
pub(crate) trait SchemaDriver: Driver {
    /// Reads the tables of these names, in their order; `None` for one that is not there. A statement for each kind of thing
    /// reads those of all tables; other parts are left empty.
    fn described<'a>(
        connection: &'a mut Self::Connection,
        names: Vec<&'a str>,
        parts: Parts,
    ) -> Driven<'a, Vec<Option<Table>>, Self>;

    /// Reads the table of this name, if there is one.
    fn table<'a>(connection: &'a mut Self::Connection, name: &'a str) -> Driven<'a, Option<Table>, Self> {
        Box::pin(async move { Ok(Self::described(connection, vec![name], Parts::Schema).await?.pop().flatten()) })
    }

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
