//! Statements of ours beside those of files: the lock on the history, records, and the ends of their transactions.

use std::time::Duration;

use tokio::time::sleep;

use super::History;
use crate::driver::first_number;
use crate::schema::migration_driver::MigrationDriver;
use crate::statement::Statement;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{HISTORY_TABLE, MigrationFile};

/// Interval between two attempts to take the lock on the history.
const LOCK_INTERVAL: Duration = Duration::from_millis(100);

impl<D: MigrationDriver> History<'_, D> {
    /// Polls for the lock on the history, where the database has one. A statement that waited for it would be a transaction, for
    /// which `CREATE INDEX CONCURRENTLY` waits in turn.
    pub(super) async fn lock(&mut self) -> Result<(), MigrateError> {
        let Some(text) = (D::LOCK_HISTORY)() else { return Ok(()) };
        loop {
            let taken = first_number::<D>(self.0, Statement::fixed(text, Vec::new())).await.map_err(D::general)?;
            if taken == Some(1) {
                return Ok(());
            }
            sleep(LOCK_INTERVAL).await;
        }
    }

    /// Number in the record of a file, if there is one.
    pub(super) async fn number(&mut self, select: &str, file: &MigrationFile) -> Result<Option<i64>, MigrateError> {
        let text = format!("{select} FROM {HISTORY_TABLE} WHERE version = {}", file.version);
        Ok(first_number::<D>(self.0, Statement::assembled(text)).await.map_err(D::general)?)
    }

    /// Runs statements of ours.
    pub(super) async fn run(&mut self, text: String) -> Result<(), MigrateError> {
        D::script(self.0, text).await.map_err(|error| D::general(error).into())
    }

    /// Takes the lock, and gives the history that has another name ours. `versions`: those of the files.
    pub(super) async fn open(&mut self, versions: &[i64]) -> Result<(), MigrateError> {
        self.lock().await?;
        self.adopt(versions).await
    }

    /// Begins the transaction of a record.
    pub(super) async fn begin(&mut self) -> Result<(), MigrateError> {
        Ok(D::begin(self.0, D::BEGIN).await.map_err(D::general)?)
    }

    /// Commits the transaction of a record, or rolls it back.
    pub(super) async fn finish<T>(&mut self, result: Result<T, MigrateError>) -> Result<T, MigrateError> {
        if result.is_ok() {
            D::commit(self.0).await.map_err(D::general)?;
        } else {
            // The error says more than that of a rollback.
            drop(D::rollback(self.0).await);
        }
        result
    }
}

pub(super) fn interrupted(file: &MigrationFile) -> MigrateError {
    MigrateError::Interrupted(file.name.clone())
}

pub(super) fn failed(file: &MigrationFile, reason: &str) -> MigrateError {
    MigrateError::Failed { name: file.name.clone(), reason: reason.to_owned() }
}
