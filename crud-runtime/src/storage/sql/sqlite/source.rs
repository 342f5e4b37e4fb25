//! SQLite's connections as a [`Source`]: one writer at a time.

use sqlx::sqlite::SqliteRow;

use super::connections::Connections;
use super::dialect::Sqlite;
use super::error::general;
use super::migrate;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::migrate_error::MigrateError;
use crate::storage::sql::source::{Each, Source};
use crate::storage::sql::statement::Statement;
use crate::storage::sql::write;
use crate::storage::sql::write::WriteResult;
use crate::storage::write::{Write, WriteWhere};

impl Source for Connections {
    type Driver = Sqlite;

    // Reads the file, not only the connection.
    const PING: &'static str = "SELECT COUNT(*) FROM sqlite_schema";

    async fn all(&self, statement: Statement<Sqlite>) -> Result<Vec<SqliteRow>, AdapterError> {
        self.reader().await?.all(statement).await.map_err(general)
    }

    async fn first(&self, statement: Statement<Sqlite>) -> Result<Option<SqliteRow>, AdapterError> {
        self.reader().await?.first(statement).await.map_err(general)
    }

    async fn each(&self, statement: Statement<Sqlite>, each: Each<'_, Sqlite>) -> Result<(), AdapterError> {
        self.reader().await?.each(statement, each).await
    }

    async fn change(
        &self,
        resource: &'static Descriptor,
        write: &Write<'_>,
    ) -> Result<WriteResult<Sqlite>, AdapterError> {
        let mut writer = self.writer().await?;
        let changed = write::run::<Sqlite>(&mut writer, resource, write).await;
        writer.set_idle(changed.is_ok());
        changed
    }

    async fn change_where(&self, resource: &'static Descriptor, write: WriteWhere<'_>) -> Result<u64, AdapterError> {
        let mut writer = self.writer().await?;
        let count = write::run_where::<Sqlite>(&mut writer, resource, &write).await;
        writer.set_idle(count.is_ok());
        count
    }

    async fn migrate(&self, resources: &[&'static Descriptor]) -> Result<(), MigrateError> {
        let mut writer = self.writer().await?;
        let migrated = migrate::migrate(&mut writer, resources).await;
        writer.set_idle(migrated.is_ok());
        migrated
    }

    async fn plan(&self, resources: &[&'static Descriptor]) -> Result<Vec<String>, MigrateError> {
        let mut reader = self.reader().await?;
        let planned = migrate::planned(&mut reader, resources).await;
        reader.set_idle(planned.is_ok());
        planned
    }
}
