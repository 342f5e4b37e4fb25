//! Written migrations, recorded as sqlx's migrator does, so that `sqlx migrate` works on the same database.

use std::time::Instant;

use super::SqliteAdapter;
use super::connection::Connection;
use super::connection::open::Open;
use super::error::{Error, general};
use crate::connections::Connections;
use crate::model::descriptor::Descriptor;
use crate::schema::history;
use crate::schema::history::migration_items::migration_items;
use crate::sqlite::dialect::Sqlite;
use crate::sqlite::spelling::RESET_PRAGMAS;
use crate::storage::future::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{AppliedMigration, Direction, MigrationFile, Migrations, Script, Step};
use crate::storage::schema::Difference;

impl Migrations for SqliteAdapter {
    migration_items!(
        Sqlite,
        read: reader,
        write: migration_connection,
        end: restore,
        applied: applied_of,
        recorded: recorded
    );
}

impl SqliteAdapter {
    /// The connection to write, ready for scripts.
    async fn migration_connection(&self) -> Result<Connection, MigrateError> {
        let mut writer = *self.writer().await?;
        let paused = writer.work(|open| {
            open.pause_tally();
            Ok(())
        });
        paused.await.map_err(general)?;
        Ok(writer)
    }
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
    Box::pin(applied_of(connection, &[]))
}

/// The applied migrations, in order; none if the table of them is missing. `versions`: those of the files.
async fn applied_of(connection: &mut Connection, versions: &[i64]) -> Result<Vec<AppliedMigration>, MigrateError> {
    let Some(table) = history::name::present::<Sqlite>(connection, versions).await? else { return Ok(Vec::new()) };
    Ok(connection.work(move |open| applied(open, table)).await.map_err(general)?)
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
