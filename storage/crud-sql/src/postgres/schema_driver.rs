//! PostgreSQL as a [`SchemaDriver`].

#[cfg(feature = "migrations")]
use sqlx::postgres::PgConnection;

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
use crate::storage::adapter::BoxFuture;
use crate::storage::migrate_error::MigrateError;

impl SchemaDriver for Postgres {
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
