//! `migrate diff`, `apply`, `status` and `revert`: written migrations, from a program's first arguments.

use std::fs;

use super::program::print;
use crate::service::builder::Service;
use crate::service::migrations::State;
use crate::storage::error::Result;

/// The directory of a program's migrations, in its working directory.
pub(super) const DIRECTORY: &str = "migrations";

/// A task of `migrate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// Writes the differences between structs and database as a migration.
    Diff,
    /// Applies what the database lacks.
    Apply,
    /// Prints the applied and the pending migrations.
    Status,
    /// Reverts the last migration.
    Revert,
}

impl Task {
    /// The task that an argument names.
    pub(super) fn find(argument: &str) -> Option<Self> {
        match argument {
            "diff" => Some(Self::Diff),
            "apply" => Some(Self::Apply),
            "status" => Some(Self::Status),
            "revert" => Some(Self::Revert),
            _ => None,
        }
    }
}

/// Whether there are migrations: a program that has none creates its tables itself.
pub(super) fn exist() -> bool {
    let files = fs::read_dir(DIRECTORY).into_iter().flatten().flatten();
    files.map(|file| file.path()).any(|path| path.extension().is_some_and(|extension| extension == "sql"))
}

/// Runs the task and prints its result.
pub(super) async fn run(service: &Service, task: Task) -> Result<()> {
    match task {
        Task::Diff => match service.write_migration(DIRECTORY).await? {
            Some(written) => print(&format!(
                "Written: {}\nWritten: {}\nRead both before you apply them: what only you can know is said there.",
                written.up.display(),
                written.down.display()
            )),
            None => print("Nothing to write: the database is as the structs are."),
        },
        Task::Apply => {
            let applied = service.apply_migrations(DIRECTORY).await?;
            if applied.is_empty() {
                return print("Nothing to apply: the database has every migration.");
            }
            let lines: Vec<String> = applied.iter().map(|name| format!("Applied: {name}")).collect();
            print(&lines.join("\n"))
        }
        Task::Status => {
            let status = service.migration_status(DIRECTORY).await?;
            if status.iter().next().is_none() {
                return print("There are no migrations.");
            }
            print(&status.to_string())?;
            // A pending migration is not an error.
            let wrong = status.iter().any(|one| !matches!(one.state, State::Applied | State::Pending));
            if wrong { Ok(status.check()?) } else { Ok(()) }
        }
        Task::Revert => match service.revert_migration(DIRECTORY).await? {
            Some(name) => print(&format!("Applied: {name}")),
            None => print("Nothing to take back: the database has no migration."),
        },
    }
}
