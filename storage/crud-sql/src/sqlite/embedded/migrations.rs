//! Written migrations, recorded as sqlx's migrator does, so that `sqlx migrate` works on the same database.

use super::EmbeddedConnections;
use super::connection::Connection;
use super::error::general;
use crate::connections::Connections;
use crate::schema::history::migration_items::migration_items;
use crate::sqlite::dialect::Sqlite;
use crate::sqlite::spelling::RESET_PRAGMAS;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::Migrations;

impl Migrations for EmbeddedConnections {
    migration_items!(Sqlite, read: reader, write: migration_connection, end: restore);
}

impl EmbeddedConnections {
    /// The writer's connection, ready for scripts.
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

/// Releases the connection in its usual state. A script that failed has left its transaction open.
async fn restore<T>(mut writer: Connection, result: Result<T, MigrateError>) -> Result<T, MigrateError> {
    let restored = writer.work(|open| {
        open.reset();
        open.script(RESET_PRAGMAS)
    });
    let restored = restored.await.map_err(|error| general(error).into());
    result.and_then(|value| restored.map(|()| value))
}
