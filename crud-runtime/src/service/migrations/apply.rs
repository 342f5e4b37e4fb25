//! Applying the files of a directory.

use super::directory::Directory;
use super::program::Program;
use super::status::{Migration, MigrationState, MigrationStatus};
use super::sums::Sums;
use crate::storage::adapter::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::Direction;

/// Applies the pending migrations, in order; returns their files' names.
pub(super) fn apply<'a>(
    directory: &'a Directory,
    program: &'a Program<'_>,
) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
    Box::pin(async move {
        let storage = program.storage;
        let mut status = directory.status(storage).await?;
        program.service.check_named(directory, &status)?;
        let is_left = |one: &&Migration| matches!(one.state, MigrationState::Pending | MigrationState::Interrupted);
        let names: Vec<String> = status.iter().filter(is_left).map(|one| one.name.clone()).collect();
        loop {
            match status.check() {
                Ok(()) => return Ok(names),
                // A migration that looks interrupted may be in progress in another process: applying waits for that.
                Err(MigrateError::Behind(_) | MigrateError::Interrupted(_)) => {}
                Err(other) => return Err(other),
            }
            Sums::check(directory.path())?;
            let next = status.next().map(|one| one.version);
            let data = directory.data_files().find(|(file, _)| Some(file.version) == next);
            let applied = match data {
                Some(data) => {
                    // Nothing comes before it; a history that has another name gets its own.
                    storage.apply(&directory.up_files()).await?;
                    program.run(directory, data, Direction::Up).await
                }
                None => storage.apply(&directory.up_files()).await,
            };
            status = directory.status(storage).await?;
            if let Err(error) = applied
                && !was_applied_elsewhere(&error, &status)
            {
                return Err(directory.with_file_names(error, true));
            }
        }
    })
}

/// Whether a failed migration is applied all the same, by a concurrent process.
fn was_applied_elsewhere(error: &MigrateError, status: &MigrationStatus) -> bool {
    match error {
        MigrateError::Failed { name, .. } => status
            .iter()
            .any(|migration| migration.state == MigrationState::Applied && migration.version.to_string() == *name),
        _ => status.check().is_ok(),
    }
}
