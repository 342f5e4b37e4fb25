//! Written migrations on SQLite, over sqlx.

use std::time::Instant;

use sqlx::Executor;
use sqlx::sqlite::SqliteConnection;

use super::connections::{Lease, PooledConnections};
use super::error::general;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::schema::size::Sizes;
use crate::schema::{baseline, history, script};
use crate::sqlite::dialect::{Pooled, Sqlite};
use crate::sqlite::spelling::RESET_PRAGMAS;
use crate::storage::future::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{AppliedMigration, Direction, MigrationFile, Migrations, Script, Step};
use crate::storage::schema::Difference;

impl Migrations for PooledConnections {
    fn diff<'a>(
        &'a self,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<Vec<Difference>, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            let all = script::differences::<Sqlite<Pooled>>(&mut reader, resources).await.map_err(general)?;
            Ok(all)
        })
    }

    fn script<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Script, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            let script = script::script::<Sqlite<Pooled>>(&mut reader, resources, Sizes::Counted).await;
            Ok(script.map_err(general)?)
        })
    }

    fn script_for_sizes<'a>(
        &'a self,
        resources: &'a [&'static Descriptor],
        sizes: &'a [(&'static str, u64)],
    ) -> BoxFuture<'a, Result<Script, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            let script = script::script::<Sqlite<Pooled>>(&mut reader, resources, Sizes::Given(sizes)).await;
            Ok(script.map_err(general)?)
        })
    }

    fn present<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<Step>, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            let steps = baseline::present::<Sqlite<Pooled>>(&mut reader, resources).await.map_err(general)?;
            Ok(steps)
        })
    }

    fn applied<'a>(&'a self, versions: &'a [i64]) -> BoxFuture<'a, Result<Vec<AppliedMigration>, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            let applied = history::over_sqlx::applied::<Sqlite<Pooled>>(&mut reader, versions).await?;
            Ok(applied)
        })
    }

    fn apply<'a>(&'a self, migrations: &'a [MigrationFile]) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let mut writer = self.writer().await?;
            let applied = history::apply::<Sqlite<Pooled>>(&mut writer, migrations, recorded).await;
            release(writer, applied).await
        })
    }

    fn records<'a>(
        &'a self,
        table: &'a str,
        column: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<u64>, MigrateError>> {
        Box::pin(async move { history::records::<Sqlite<Pooled>>(&mut *self.reader().await?, table, column).await })
    }

    fn revert<'a>(&'a self, down: &'a MigrationFile) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let mut writer = self.writer().await?;
            let reverted = history::revert::<Sqlite<Pooled>>(&mut writer, down, recorded).await;
            release(writer, reverted).await
        })
    }

    fn begin_data<'a>(
        &'a self,
        file: &'a MigrationFile,
        direction: Direction,
    ) -> BoxFuture<'a, Result<bool, MigrateError>> {
        Box::pin(async move {
            let mut writer = self.writer().await?;
            let begun = history::data::begin::<Sqlite<Pooled>>(&mut writer, file, direction, recorded).await;
            release(writer, begun).await
        })
    }

    fn end_data<'a>(
        &'a self,
        file: &'a MigrationFile,
        direction: Direction,
        start: Instant,
    ) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let mut writer = self.writer().await?;
            let ended = history::data::end::<Sqlite<Pooled>>(&mut writer, file, direction, start).await;
            release(writer, ended).await
        })
    }
}

fn recorded(connection: &mut SqliteConnection) -> BoxFuture<'_, Result<Vec<AppliedMigration>, MigrateError>> {
    Box::pin(history::over_sqlx::applied::<Sqlite<Pooled>>(connection, &[]))
}

/// Gives the connection back as it was: a script that fails stops in its own transaction. A database in memory has
/// no other connection.
async fn release<T>(mut writer: Lease, result: Result<T, MigrateError>) -> Result<T, MigrateError> {
    let restored = restore(&mut writer).await;
    result.and_then(|value| Ok(restored.map(|()| value)?))
}

async fn restore(connection: &mut SqliteConnection) -> Result<(), AdapterError> {
    // Outside of a transaction, that is refused.
    connection.execute("ROLLBACK").await.ok();
    connection.execute(RESET_PRAGMAS).await.map(drop).map_err(general)
}
