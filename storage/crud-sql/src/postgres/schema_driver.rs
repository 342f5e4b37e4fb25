//! PostgreSQL as a [`SchemaDriver`].

#[cfg(feature = "migrations")]
use sqlx::postgres::PgConnection;

use super::catalogue::{index_reads, inspect, rights, view_reads};
use super::dialect::Postgres;
#[cfg(feature = "migrations")]
use super::error;
use super::tables;
#[cfg(feature = "migrations")]
use super::tables::invalid_index;
use crate::driver::{Connection, Driven};
use crate::model::descriptor::Descriptor;
#[cfg(feature = "migrations")]
use crate::schema::alteration::Alteration;
use crate::schema::driver::SchemaDriver;
use crate::schema::index_reads::IndexReads;
use crate::schema::table::{Named, Parts, Reads, Table, TableName};
use crate::storage::adapter::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::rights::Rights;

impl SchemaDriver for Postgres {
    fn described<'a>(
        connection: &'a mut Connection<Self>,
        names: Vec<&'a str>,
        parts: Parts,
    ) -> Driven<'a, Vec<Option<Table>>, Self> {
        Box::pin(inspect::described(connection, names, parts))
    }

    fn tables(connection: &mut Connection<Self>) -> Driven<'_, Vec<TableName>, Self> {
        Box::pin(inspect::tables(connection))
    }

    fn views<'a>(connection: &'a mut Connection<Self>, names: Vec<&'a str>) -> Driven<'a, Vec<Option<Named>>, Self> {
        Box::pin(inspect::views(connection, names))
    }

    fn reads<'a>(connection: &'a mut Connection<Self>, views: Vec<&'a str>) -> Driven<'a, Vec<Reads>, Self> {
        Box::pin(view_reads::reads(connection, views))
    }

    fn unfit<'a>(
        connection: &'a mut Connection<Self>,
        resources: &'a [&'static Descriptor],
    ) -> Driven<'a, Vec<String>, Self> {
        Box::pin(tables::unfit(connection, resources))
    }

    fn create<'a>(
        connection: &'a mut Connection<Self>,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(tables::create(connection, resources))
    }

    fn index_reads(connection: &mut Connection<Self>) -> Driven<'_, IndexReads, Self> {
        Box::pin(index_reads::index_reads(connection))
    }

    fn rights<'a>(
        connection: &'a mut Connection<Self>,
        resources: &'a [&'static Descriptor],
    ) -> Driven<'a, Rights, Self> {
        Box::pin(rights::rights(connection, resources))
    }

    fn has_schema<'a>(connection: &'a mut Connection<Self>, schema: &'a str) -> Driven<'a, bool, Self> {
        Box::pin(inspect::has_schema(connection, schema))
    }

    fn elsewhere<'a>(
        connection: &'a mut Connection<Self>,
        tables: Vec<&'static str>,
    ) -> Driven<'a, Vec<(&'static str, String)>, Self> {
        Box::pin(inspect::elsewhere(connection, tables))
    }

    fn is_taken<'a>(connection: &'a mut Connection<Self>, name: &'a str) -> Driven<'a, bool, Self> {
        Box::pin(inspect::is_taken(connection, name))
    }

    #[cfg(feature = "migrations")]
    fn is_done(error: &sqlx::Error) -> bool {
        error::is_done(error)
    }

    #[cfg(feature = "migrations")]
    fn is_locked(error: &sqlx::Error) -> bool {
        error::is_locked(error)
    }

    #[cfg(feature = "migrations")]
    const ALTERATION: Alteration<PgConnection, sqlx::Error> = super::tables::alter::ALTERATION;

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
    fn prepare_repetition<'a>(
        connection: &'a mut Connection<Self>,
        statement: &'a str,
    ) -> BoxFuture<'a, sqlx::Result<()>> {
        Box::pin(invalid_index::drop_invalid_of(connection, statement))
    }
}
