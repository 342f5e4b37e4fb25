//! PostgreSQL as a [`Driver`].

use sqlx::postgres::{PgArguments, PgConnection, PgQueryResult, PgRow};
use sqlx::{Arguments, Encode};

use super::catalogue::{index_reads, facts, inspect, rights, view_reads};
use super::dialect::Postgres;
#[cfg(feature = "migrations")]
use super::tables::invalid_index;
use super::value::argument::Argument;
use super::value::row::{self, Lists};
use super::{error, optimistic, tables};
use crate::driver::{Driven, Driver};
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::ValueRef;
use crate::over_sqlx::{self, Steps, driver_items};
#[cfg(feature = "migrations")]
use crate::schema::alteration::Alteration;
use crate::schema::index_use::IndexReads;
use crate::schema::table::{Named, Reads, Table, TableName};
use crate::statement::Text;
use crate::storage::adapter::{AdapterFuture, BoxFuture};
use crate::storage::facts::TableFacts;
use crate::storage::migrate_error::MigrateError;
use crate::storage::write::Write;
use crate::table_items::server_items;
use crate::write::change::Attempt;

impl Driver for Postgres {
    driver_items!(sqlx::Postgres, steps, None, PgQueryResult::rows_affected, error::is_stale);

    type Decoded = Lists;

    // Without a transaction, `ROLLBACK` alone would be a warning in the server's log.
    const ABANDON: &'static str = "BEGIN; ROLLBACK";

    const OPTIMISTIC: bool = true;

    fn change_optimistically<'a>(
        connection: &'a mut PgConnection,
        resource: &'static Descriptor,
        write: &'a Write<'_>,
    ) -> AdapterFuture<'a, Attempt<Self>> {
        Box::pin(optimistic::change(connection, resource, write))
    }

    const PREPARES_AGAIN: bool = true;

    fn is_outdated(error: &AdapterError) -> bool {
        error::is_outdated(error)
    }

    server_items!();

    fn elsewhere<'a>(
        connection: &'a mut PgConnection,
        tables: Vec<&'static str>,
    ) -> Driven<'a, Vec<(&'static str, String)>, Self> {
        Box::pin(inspect::elsewhere(connection, tables))
    }

    fn is_taken<'a>(connection: &'a mut PgConnection, name: &'a str) -> Driven<'a, bool, Self> {
        Box::pin(inspect::is_taken(connection, name))
    }

    fn value<'r>(
        column: &ColumnDescriptor,
        index: usize,
        row: &'r PgRow,
        decoded: &'r Lists,
    ) -> Result<ValueRef<'r>, ColumnError> {
        row::value(column, index, row, decoded)
    }

    #[cfg(feature = "migrations")]
    const ALTERATION: Alteration<Self::Connection, Self::Error> = super::tables::alter::ALTERATION;

    #[cfg(feature = "migrations")]
    const PREPARE_MIGRATION: &'static str = "SET statement_timeout = 0; SET lock_timeout = 200";

    #[cfg(feature = "migrations")]
    const SESSION: Option<&'static str> = Some("SELECT pg_backend_pid()::bigint");

    // "crud", in ASCII, and the second lock of that name.
    #[cfg(feature = "migrations")]
    const LOCK_HISTORY: Option<&'static str> = Some("SELECT pg_try_advisory_lock(1668445540, 2)::int::bigint");

    #[cfg(feature = "migrations")]
    const CREATE_HISTORY: &'static str = "CREATE TABLE IF NOT EXISTS _crud_migrations (
        version BIGINT PRIMARY KEY,
        description TEXT NOT NULL,
        installed_on TIMESTAMPTZ NOT NULL DEFAULT now(),
        success BOOLEAN NOT NULL,
        checksum BYTEA NOT NULL,
        execution_time BIGINT NOT NULL
    )";

    #[cfg(feature = "migrations")]
    const BYTES: fn(&str) -> String = |digits| format!("'\\x{digits}'::bytea");

    // It waits for transactions of all kinds, and nothing but another change of the same table for it.
    #[cfg(feature = "migrations")]
    fn patience(statement: &str) -> Option<(&'static str, &'static str)> {
        let is_concurrent = statement.to_ascii_uppercase().contains(" CONCURRENTLY ");
        is_concurrent.then_some(("SET lock_timeout = 0", "SET lock_timeout = 200"))
    }

    #[cfg(feature = "migrations")]
    fn prepare_repetition<'a>(connection: &'a mut PgConnection, statement: &'a str) -> BoxFuture<'a, sqlx::Result<()>> {
        Box::pin(invalid_index::drop_invalid_of(connection, statement))
    }
}

/// Binds arguments in order.
fn bind(arguments: Vec<Argument>) -> sqlx::Result<PgArguments> {
    let mut bound = PgArguments::default();
    // Each comes after its length.
    let size = |argument: &Argument| size_of::<i32>() + argument.size_hint();
    bound.reserve(arguments.len(), arguments.iter().map(size).sum());
    for argument in arguments {
        bound.add(argument).map_err(sqlx::Error::Encode)?;
    }
    Ok(bound)
}

/// Begins a statement.
fn steps(connection: &mut PgConnection, text: Text, arguments: Vec<Argument>) -> Steps<'_, sqlx::Postgres> {
    over_sqlx::steps::<sqlx::Postgres>(connection, text, bind(arguments))
}
