//! Written migrations on a server.

use std::time::Instant;

use sqlx::migrate::Migrate;
use sqlx::{Connection as _, Executor};

use super::connection_cache::ConnectionCache;
use crate::model::descriptor::Descriptor;
use crate::storage::future::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{AppliedMigration, Direction, MigrationFile, Migrations, Script, Step};
use crate::storage::schema::Difference;
use crate::storage::sql::driver::{Connection, Driver};
use crate::storage::sql::schema::{baseline, history, script};

impl<E> Migrations for ConnectionCache<E>
where
    E: Driver<Error = sqlx::Error, Connection: Migrate + sqlx::Connection>,
    for<'c> &'c mut Connection<E>: Executor<'c>,
{
    fn diff<'a>(
        &'a self,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<Vec<Difference>, MigrateError>> {
        Box::pin(async move {
            Ok(script::differences::<E>(&mut *self.acquire().await?, resources).await.map_err(E::general)?)
        })
    }

    fn script<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Script, MigrateError>> {
        Box::pin(
            async move { Ok(script::script::<E>(&mut *self.acquire().await?, resources).await.map_err(E::general)?) },
        )
    }

    fn present<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<Step>, MigrateError>> {
        Box::pin(async move {
            Ok(baseline::present::<E>(&mut *self.acquire().await?, resources).await.map_err(E::general)?)
        })
    }

    fn applied(&self) -> BoxFuture<'_, Result<Vec<AppliedMigration>, MigrateError>> {
        Box::pin(async move { history::over_sqlx::applied::<E>(&mut *self.acquire().await?).await })
    }

    fn apply<'a>(&'a self, migrations: &'a [MigrationFile]) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let mut connection = self.migration_connection().await?;
            let applied = history::apply::<E>(&mut connection, migrations, recorded::<E>).await;
            close::<E, _>(connection, applied).await
        })
    }

    fn records<'a>(
        &'a self,
        table: &'a str,
        column: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<u64>, MigrateError>> {
        Box::pin(async move { history::records::<E>(&mut *self.acquire().await?, table, column).await })
    }

    fn revert<'a>(&'a self, down: &'a MigrationFile) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let mut connection = self.migration_connection().await?;
            let reverted = history::revert::<E>(&mut connection, down, recorded::<E>).await;
            close::<E, _>(connection, reverted).await
        })
    }

    fn begin_data<'a>(
        &'a self,
        file: &'a MigrationFile,
        direction: Direction,
    ) -> BoxFuture<'a, Result<bool, MigrateError>> {
        Box::pin(async move {
            let mut connection = self.migration_connection().await?;
            let begun = history::data::begin::<E>(&mut connection, file, direction, recorded::<E>).await;
            close::<E, _>(connection, begun).await
        })
    }

    fn end_data<'a>(
        &'a self,
        file: &'a MigrationFile,
        direction: Direction,
        start: Instant,
    ) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let mut connection = self.migration_connection().await?;
            let ended = history::data::end::<E>(&mut connection, file, direction, start).await;
            close::<E, _>(connection, ended).await
        })
    }
}

impl<E: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> ConnectionCache<E>
where
    for<'c> &'c mut Connection<E>: Executor<'c>,
{
    /// A connection without timeouts and outside of the pool: it has the lock on the history until it is closed.
    async fn migration_connection(&self) -> Result<Connection<E>, MigrateError> {
        let mut connection = self.acquire().await?.detach();
        (&mut connection).execute(E::PREPARE_MIGRATION).await.map_err(E::general)?;
        Ok(connection)
    }
}

fn recorded<E>(connection: &mut Connection<E>) -> BoxFuture<'_, Result<Vec<AppliedMigration>, MigrateError>>
where
    E: Driver<Error = sqlx::Error, Connection: Migrate>,
{
    Box::pin(history::over_sqlx::applied::<E>(connection))
}

async fn close<E, T>(connection: Connection<E>, result: Result<T, MigrateError>) -> Result<T, MigrateError>
where
    E: Driver<Error = sqlx::Error, Connection: sqlx::Connection>,
{
    let closed = connection.close().await.map_err(E::general);
    result.and_then(|value| Ok(closed.map(|()| value)?))
}
