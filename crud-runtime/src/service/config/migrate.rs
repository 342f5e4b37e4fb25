//! The commands `migrate diff`, `apply`, `status` and `revert`.

use std::fs;
use std::io::{self, IsTerminal};

use super::output::print;
use crate::service::builder::Service;
use crate::service::migrations::{MigrationLoss, MigrationState, MigrationStatus, Written};
use crate::storage::error::{Error, Result};

/// The directory of migrations, below the working directory.
pub(super) const DIRECTORY: &str = "migrations";

/// A subcommand of `migrate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MigrateCommand {
    /// Writes a migration from the database to the structs.
    Diff,
    /// Applies the pending migrations.
    Apply,
    /// Prints the state of each migration.
    Status,
    /// Reverts the last migration; `yes`: also where that drops records.
    Revert { yes: bool },
}

impl MigrateCommand {
    /// The command that the arguments name.
    pub(super) fn parse(arguments: &[&str]) -> Option<Self> {
        match arguments {
            ["diff"] => Some(Self::Diff),
            ["apply"] => Some(Self::Apply),
            ["status"] => Some(Self::Status),
            ["revert"] => Some(Self::Revert { yes: false }),
            ["revert", "--yes"] => Some(Self::Revert { yes: true }),
            _ => None,
        }
    }
}

/// Whether the directory has migrations; without any, a program creates its tables itself.
pub(super) fn has_migrations() -> bool {
    let files = fs::read_dir(DIRECTORY).into_iter().flatten().flatten();
    files.map(|file| file.path()).any(|path| path.extension().is_some_and(|extension| extension == "sql"))
}

/// Runs a command, and prints its result.
pub(super) async fn run(service: &Service, command: MigrateCommand) -> Result<()> {
    match command {
        MigrateCommand::Diff => match service.write_migration(DIRECTORY).await? {
            Some(written) => print(&report(&written)),
            None => print("Nothing to write: the database matches the structs."),
        },
        MigrateCommand::Apply => {
            progress(&service.migration_status(DIRECTORY).await?);
            let applied = service.apply_migrations(DIRECTORY).await?;
            for stale in service.stale_down_files(DIRECTORY).await? {
                eprintln!("`migrate revert` would refuse a file: {stale}");
            }
            if applied.is_empty() {
                return print("Nothing to apply: the database has every migration.");
            }
            let lines: Vec<String> = applied.iter().map(|name| format!("Applied: {name}")).collect();
            print(&lines.join("\n"))
        }
        MigrateCommand::Status => {
            let status = service.migration_status(DIRECTORY).await?;
            if status.iter().next().is_none() {
                return print("There are no migrations.");
            }
            print(&status.to_string())?;
            // Pending migrations are not an error.
            let is_error = status
                .iter()
                .any(|migration| !matches!(migration.state, MigrationState::Applied | MigrationState::Pending));
            if is_error { Ok(status.check()?) } else { Ok(()) }
        }
        MigrateCommand::Revert { yes } => {
            if !yes {
                confirm(&service.migration_losses(DIRECTORY).await?)?;
            }
            match service.revert_migration(DIRECTORY).await? {
                Some(name) => print(&format!("Applied: {name}")),
                None => print("Nothing to revert: no migration is applied."),
            }
        }
    }
}

/// Asks on a terminal whether records may be dropped; elsewhere that is an error.
fn confirm(losses: &[MigrationLoss]) -> Result<()> {
    let lost: Vec<String> = losses.iter().filter(|loss| loss.records > 0).map(ToString::to_string).collect();
    if lost.is_empty() {
        return Ok(());
    }
    let lost = lost.join(", ");
    if !io::stdin().is_terminal() {
        return Err(Error::Setup(format!("this would drop {lost}: `migrate revert --yes` does so")));
    }
    eprint!("This drops {lost}. Revert? [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(|error| Error::Setup(error.to_string()))?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(Error::Setup("nothing was reverted".to_owned())),
    }
}

/// Prints what is going to be applied, to a terminal: a migration of a large table takes its time.
fn progress(status: &MigrationStatus) {
    for name in status.pending().filter(|_| io::stderr().is_terminal()) {
        eprintln!("Applying: {name}");
    }
}

/// The files of a migration, and what to do with them.
fn report(written: &Written) -> String {
    let changes = written.changes.iter().flat_map(|change| [&change.up, &change.down]);
    let files = written.baseline.iter().chain(changes);
    let mut lines: Vec<String> = files.map(|file| format!("Written: {}", file.display())).collect();
    let all = if lines.len() > 2 { "them" } else { "both" };
    if written.baseline.is_some() {
        lines.push("The first creates the tables as they are, for an empty database.".to_owned());
    }
    lines.push(format!("Review {all} before you apply them: comments mark what only you can decide."));
    lines.join("\n")
}
