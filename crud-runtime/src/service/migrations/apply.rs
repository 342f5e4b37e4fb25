//! Applying the files of a directory.

use super::directory::Directory;
use super::program::Program;
use super::status::{Migration, MigrationState, MigrationStatus};
use super::sums::Sums;
use crate::storage::adapter::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{Direction, UNKNOWN_COLUMNS};

/// Applies the pending migrations of a program's directory, in order; returns their files' names. The error of a file that
/// was written before others were merged names the command that writes it anew.
///
/// ```text
/// `3_change_books.up.sql` failed: CHECK constraint failed: columns that this file does not know. Where …
/// ```
pub(super) async fn apply_own(directory: &Directory, program: &Program<'_>) -> Result<Vec<String>, MigrateError> {
    apply(directory, program).await.map_err(|error| match error {
        MigrateError::Failed { name, reason } if reason.contains(UNKNOWN_COLUMNS) => {
            let remedy = format!(
                "Where they came with a merge, `crud migrate rebase {name}` writes the file anew behind theirs"
            );
            MigrateError::Failed { name, reason: format!("{reason}. {remedy}") }
        }
        other => other,
    })
}

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
                Err(MigrateError::Behind(_) | MigrateError::Interrupted(_) | MigrateError::Lacking { .. }) => {}
                Err(other) => return Err(other),
            }
            Sums::check(directory.path())?;
            let next = status.iter().find(is_left).map(|one| one.version);
            let data = directory.data_files().find(|(file, _)| Some(file.version) == next);
            let applied = match data {
                Some((file, _)) => {
                    // Nothing comes before it; a history that has another name gets its own.
                    storage.apply(&directory.up_files()).await?;
                    program.run(directory, file, Direction::Up).await
                }
                None => storage.apply(&directory.up_files()).await,
            };
            status = directory.status(storage).await?;
            if let Err(error) = applied
                && !was_applied_elsewhere(&error, &status)
            {
                return Err(error);
            }
        }
    })
}

/// Whether a failed migration is applied all the same, by a concurrent process.
fn was_applied_elsewhere(error: &MigrateError, status: &MigrationStatus) -> bool {
    match error {
        MigrateError::Failed { name, .. } => {
            status.iter().any(|migration| migration.state == MigrationState::Applied && migration.name == *name)
        }
        _ => status.check().is_ok(),
    }
}
