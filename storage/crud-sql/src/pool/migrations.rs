//! Written migrations on a server.

use sqlx::{Connection as _, Executor};

use super::connection_cache::ConnectionCache;
use crate::driver::{Connection, Driver, first_number};
use crate::model::adapter_error::AdapterError;
use crate::schema::history::migration_items::migration_items;
use crate::schema::migration_driver::MigrationDriver;
use crate::statement::Statement;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::Migrations;

impl<E> Migrations for ConnectionCache<E>
where
    E: MigrationDriver<Error = sqlx::Error, Connection: sqlx::Connection>,
    for<'c> &'c mut Connection<E>: Executor<'c>,
{
    migration_items!(E, read: acquire, write: migration_connection, end: close::<E, _>);
}

impl<E: MigrationDriver<Error = sqlx::Error, Connection: sqlx::Connection>> ConnectionCache<E>
where
    for<'c> &'c mut Connection<E>: Executor<'c>,
{
    /// A connection without timeouts and outside of the pool. It holds the lock on the history until it is closed.
    ///
    /// # Errors
    /// When a transaction pooler is in between.
    async fn migration_connection(&self) -> Result<Connection<E>, MigrateError> {
        let mut connection = self.acquire().await?.detach();
        if let Some(statement) = E::SESSION {
            self.check_session(&mut connection, statement).await?;
        }
        (&mut connection).execute(E::PREPARE_MIGRATION).await.map_err(E::general)?;
        Ok(connection)
    }

    /// Checks that a connection is one session. A transaction pooler would leave the lock on the history and the
    /// session's settings to other clients. After each statement, it gives the session to the next statement of any
    /// client, and another session to the next statement of this one.
    async fn check_session(&self, connection: &mut Connection<E>, statement: &'static str) -> Result<(), MigrateError> {
        let mut other = self.acquire().await?;
        let first = number::<E>(connection, statement).await?;
        for _ in 0..SESSION_CHECKS {
            if number::<E>(&mut other, statement).await? == first || number::<E>(connection, statement).await? != first
            {
                return Err(MigrateError::Pooled);
            }
        }
        Ok(())
    }
}

/// Number of times that the sessions of two connections are compared.
const SESSION_CHECKS: usize = 3;

/// The number that a statement returns in its first row.
async fn number<E: Driver>(connection: &mut Connection<E>, statement: &'static str) -> Result<i64, AdapterError> {
    let number = first_number::<E>(connection, Statement::fixed(statement, Vec::new())).await;
    Ok(number.map_err(E::general)?.unwrap_or_default())
}

async fn close<E, T>(connection: Connection<E>, result: Result<T, MigrateError>) -> Result<T, MigrateError>
where
    E: MigrationDriver<Error = sqlx::Error, Connection: sqlx::Connection>,
{
    let closed = connection.close().await.map_err(E::general);
    result.and_then(|value| Ok(closed.map(|()| value)?))
}
