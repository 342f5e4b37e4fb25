//! Name of the table of applied migrations: sqlx's own users share the one that it had before.

use super::History;
use crate::driver::first_number;
use crate::schema::migration_driver::MigrationDriver;
use crate::statement::Statement;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{HISTORY_TABLE, SQLX_HISTORY_TABLE};

/// Name of the table of applied migrations while it is filled.
const COPY: &str = "_crud_migrations_copy";

impl<D: MigrationDriver> History<'_, D> {
    /// The table that records migrations of these versions, if there is one.
    pub(crate) async fn present(&mut self, versions: &[i64]) -> Result<Option<&'static str>, MigrateError> {
        if D::table(self.0, HISTORY_TABLE).await.map_err(D::general)?.is_some() {
            return Ok(Some(HISTORY_TABLE));
        }
        if versions.is_empty() || D::table(self.0, SQLX_HISTORY_TABLE).await.map_err(D::general)?.is_none() {
            return Ok(None);
        }
        // Versions are times to the second: that of another program's file is another one.
        let list: Vec<String> = versions.iter().map(i64::to_string).collect();
        let text = format!("SELECT COUNT(*) FROM {SQLX_HISTORY_TABLE} WHERE version IN ({})", list.join(", "));
        let recorded = first_number::<D>(self.0, Statement::assembled(text)).await.map_err(D::general)?;
        Ok(recorded.filter(|recorded| *recorded > 0).map(|_| SQLX_HISTORY_TABLE))
    }

    /// Copies the records of these versions into the table with our name, where another one has them. That one stays: a program
    /// of the version that wrote it starts as before.
    pub(super) async fn adopt(&mut self, versions: &[i64]) -> Result<(), MigrateError> {
        if self.present(versions).await? != Some(SQLX_HISTORY_TABLE) {
            return Ok(());
        }
        self.begin().await?;
        let copied = self.copy(versions).await;
        self.finish(copied).await
    }

    async fn copy(&mut self, versions: &[i64]) -> Result<(), MigrateError> {
        // Another process may have been faster.
        if self.present(versions).await? != Some(SQLX_HISTORY_TABLE) {
            return Ok(());
        }
        // MySQL commits each statement: after a kill, no table with our name lacks a record.
        let columns = "version, description, installed_on, success, checksum, execution_time";
        for statement in [
            D::CREATE_HISTORY.replace(HISTORY_TABLE, COPY),
            format!("DELETE FROM {COPY}"),
            format!("INSERT INTO {COPY} ({columns}) SELECT {columns} FROM {SQLX_HISTORY_TABLE}"),
            format!("ALTER TABLE {COPY} RENAME TO {HISTORY_TABLE}"),
        ] {
            self.run(statement).await?;
        }
        Ok(())
    }
}
