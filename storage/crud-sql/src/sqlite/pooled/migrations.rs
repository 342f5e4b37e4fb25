//! Written migrations on SQLite, over sqlx.

use sqlx::Executor;
use sqlx::sqlite::SqliteConnection;

use super::connections::{Lease, PooledConnections};
use super::error::general;
use crate::model::adapter_error::AdapterError;
use crate::schema::history::migration_items::migration_items;
use crate::sqlite::dialect::{Pooled, Sqlite};
use crate::sqlite::spelling::RESET_PRAGMAS;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::Migrations;

impl Migrations for PooledConnections {
    migration_items!(Sqlite<Pooled>, read: reader, write: writer, end: release);
}

/// Releases the connection in its usual state. A script that failed has left its transaction open. The connection is
/// not replaced: a database in memory has no other.
async fn release<T>(mut writer: Lease, result: Result<T, MigrateError>) -> Result<T, MigrateError> {
    let restored = restore(&mut writer).await;
    result.and_then(|value| Ok(restored.map(|()| value)?))
}

async fn restore(connection: &mut SqliteConnection) -> Result<(), AdapterError> {
    // Outside of a transaction, SQLite refuses this.
    connection.execute("ROLLBACK").await.ok();
    connection.execute(RESET_PRAGMAS).await.map(drop).map_err(general)
}
