//! [`SchemaDriver`]: a driver whose database creates and changes tables.

#[cfg(feature = "migrations")]
use std::future::ready;

#[cfg(feature = "migrations")]
use super::alteration::Alteration;
use crate::catalogue::driver::CatalogueDriver;
use crate::driver::Driven;
use crate::model::descriptor::Descriptor;
use crate::storage::adapter::BoxFuture;
use crate::storage::migrate_error::MigrateError;

/// A driver whose database creates and changes tables.
pub(crate) trait SchemaDriver: CatalogueDriver {
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
