//! Written migrations, recorded as sqlx's migrator does, so that `sqlx migrate` works on the same database.

use std::time::Instant;

use super::SqliteAdapter;
use super::connection::Connection;
use super::error::{Error, general};
use super::open::Open;
use crate::connections::Connections;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::schema::size::Sizes;
use crate::schema::{baseline, history, script};
use crate::sqlite::dialect::Sqlite;
use crate::sqlite::spelling::RESET_PRAGMAS;
use crate::storage::future::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{AppliedMigration, Direction, MigrationFile, Migrations, Script, Step};
use crate::storage::schema::Difference;

impl Migrations for SqliteAdapter {
    fn diff<'a>(
        &'a self,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<Vec<Difference>, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            Ok(script::differences::<Sqlite>(&mut reader, resources).await.map_err(general)?)
        })
    }

    fn script<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Script, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            Ok(script::script::<Sqlite>(&mut reader, resources, Sizes::Counted).await.map_err(general)?)
        })
    }

    fn script_for_sizes<'a>(
        &'a self,
        resources: &'a [&'static Descriptor],
        sizes: &'a [(&'static str, u64)],
    ) -> BoxFuture<'a, Result<Script, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            Ok(script::script::<Sqlite>(&mut reader, resources, Sizes::Given(sizes)).await.map_err(general)?)
        })
    }

    fn present<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<Step>, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            Ok(baseline::present::<Sqlite>(&mut reader, resources).await.map_err(general)?)
        })
    }

    fn applied<'a>(&'a self, versions: &'a [i64]) -> BoxFuture<'a, Result<Vec<AppliedMigration>, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            let Some(table) = history::name::present::<Sqlite>(&mut reader, versions).await? else {
                return Ok(Vec::new());
            };
            Ok(reader.work(move |open| applied(open, table)).await.map_err(general)?)
        })
    }

    fn apply<'a>(&'a self, migrations: &'a [MigrationFile]) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let mut writer = *self.writer().await?;
            prepare(&mut writer).await?;
            let applied = history::apply::<Sqlite>(&mut writer, migrations, recorded).await;
            restore(writer, applied).await
        })
    }

    fn records<'a>(
        &'a self,
        table: &'a str,
        column: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<u64>, MigrateError>> {
        Box::pin(async move { history::records::<Sqlite>(&mut *self.reader().await?, table, column).await })
    }

    fn revert<'a>(&'a self, down: &'a MigrationFile) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let mut writer = *self.writer().await?;
            prepare(&mut writer).await?;
            let reverted = history::revert::<Sqlite>(&mut writer, down, recorded).await;
            restore(writer, reverted).await
        })
    }

    fn begin_data<'a>(
        &'a self,
        file: &'a MigrationFile,
        direction: Direction,
    ) -> BoxFuture<'a, Result<bool, MigrateError>> {
        Box::pin(async move {
            let mut writer = *self.writer().await?;
            prepare(&mut writer).await?;
            let begun = history::data::begin::<Sqlite>(&mut writer, file, direction, recorded).await;
            restore(writer, begun).await
        })
    }

    fn end_data<'a>(
        &'a self,
        file: &'a MigrationFile,
        direction: Direction,
        start: Instant,
    ) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let mut writer = *self.writer().await?;
            prepare(&mut writer).await?;
            let ended = history::data::end::<Sqlite>(&mut writer, file, direction, start).await;
            restore(writer, ended).await
        })
    }
}

/// Makes the connection to write ready for scripts.
async fn prepare(writer: &mut Connection) -> Result<(), AdapterError> {
    let paused = writer.work(|open| {
        open.pause_tally();
        Ok(())
    });
    paused.await.map_err(general)
}

/// Gives the connection back as it was: a script that fails stops in its own transaction.
async fn restore<T>(mut writer: Connection, result: Result<T, MigrateError>) -> Result<T, MigrateError> {
    let restored = writer.work(|open| {
        open.reset();
        open.script(RESET_PRAGMAS)
    });
    let restored = restored.await.map_err(|error| general(error).into());
    result.and_then(|value| restored.map(|()| value))
}

fn recorded(connection: &mut Connection) -> BoxFuture<'_, Result<Vec<AppliedMigration>, MigrateError>> {
    Box::pin(async move {
        let Some(table) = history::name::present::<Sqlite>(connection, &[]).await? else { return Ok(Vec::new()) };
        Ok(connection.work(move |open| applied(open, table)).await.map_err(general)?)
    })
}

/// The applied migrations that a table records, in order.
fn applied(open: &mut Open, table: &str) -> Result<Vec<AppliedMigration>, Error> {
    let text = format!("SELECT version, checksum, success FROM {table} ORDER BY version");
    let mut all = Vec::new();
    open.run(&text, &[], |row, _| {
        all.push(AppliedMigration::new(row.get(0)?, row.get(1)?, row.get(2)?));
        Ok::<(), Error>(())
    })?;
    Ok(all)
}
