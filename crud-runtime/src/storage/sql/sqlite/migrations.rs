//! Written migrations on SQLite.

use sqlx::Executor;
use sqlx::sqlite::SqliteConnection;

use super::connections::{Connections, Lease};
use super::dialect::Sqlite;
use super::error::general;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::future::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{AppliedMigration, MigrationFile, Migrations, Script};
use crate::storage::schema::Difference;
use crate::storage::sql::schema::{history, script};

/// What a script that writes a table anew sets for itself, as it was before.
const AS_BEFORE: &str = "PRAGMA legacy_alter_table = OFF; PRAGMA foreign_keys = ON";

impl Migrations for Connections {
    fn diff<'a>(
        &'a self,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<Vec<Difference>, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            let all = script::diff::<Sqlite>(&mut reader, resources).await.map_err(general);
            reader.settle_if(all.is_ok());
            Ok(all?.into_iter().flat_map(|compared| compared.differences).collect())
        })
    }

    fn script<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Script, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            let script = script::script::<Sqlite>(&mut reader, resources).await.map_err(general);
            reader.settle_if(script.is_ok());
            Ok(script?)
        })
    }

    fn applied(&self) -> BoxFuture<'_, Result<Vec<AppliedMigration>, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            let applied = history::applied::<Sqlite>(&mut reader).await;
            reader.settle_if(applied.is_ok());
            applied
        })
    }

    fn apply<'a>(&'a self, migrations: &'a [MigrationFile]) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let mut writer = self.writer().await?;
            let applied = history::apply::<Sqlite>(&mut writer, migrations).await;
            settle(writer, applied).await
        })
    }

    fn revert<'a>(&'a self, down: &'a MigrationFile) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let mut writer = self.writer().await?;
            let reverted = history::revert::<Sqlite>(&mut writer, down).await;
            settle(writer, reverted).await
        })
    }
}

/// Gives the connection back as it was: a script that fails stops in its own transaction. A database in memory has
/// no other connection.
async fn settle(mut writer: Lease<'_>, result: Result<(), MigrateError>) -> Result<(), MigrateError> {
    let restored = restore(&mut writer).await;
    writer.settle_if(restored.is_ok());
    result.and(restored.map_err(MigrateError::from))
}

async fn restore(connection: &mut SqliteConnection) -> Result<(), AdapterError> {
    // Outside of a transaction, that is refused.
    connection.execute("ROLLBACK").await.ok();
    connection.execute(AS_BEFORE).await.map(drop).map_err(general)
}
