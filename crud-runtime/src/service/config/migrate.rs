//! The commands `migrate diff`, `data`, `apply`, `status`, `revert`, `verify`, `hash` and `rebase`.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;

use crud_config::command::MigrateTask;

use super::output::{print, setup};
use crate::service::builder::Service;
use crate::service::migrations::{
    self, MigrationLoss, MigrationProgress, MigrationState, MigrationStatus, SUMS, ShadowDatabase, Written,
    WrittenChange,
};
use crate::service::tables::is_internal;
use crate::storage::error::{Error, Result};
use crate::storage::schema::Verdict;

/// Latest version of this crate that changed the service's own tables. Its statements are kept in the tests, which fail
/// on tables that differ: a change of the tables needs a new version.
///
/// The database does not record the version. Comparing each column, index and constraint tells more than a number:
/// programs with other features share a database, and a newer table may fit an older program. A value gets no new
/// meaning in an old column: no comparison would see that.
const VERSION: &str = "0.1";

/// The directory of migrations, below the working directory.
pub(super) const DIRECTORY: &str = "migrations";

/// Whether the directory has migrations; without any, a program creates its tables itself.
pub(super) fn has_migrations() -> bool {
    let files = fs::read_dir(DIRECTORY).into_iter().flatten().flatten();
    files.map(|file| file.path()).any(|path| path.extension().is_some_and(|extension| extension == "sql"))
}

/// Runs a command, and prints its result. `url`: that of the configured database.
pub(super) async fn run(service: &Service, url: Option<&str>, task: MigrateTask) -> Result<()> {
    match task {
        MigrateTask::Diff { check, dry_run } if check || dry_run => {
            match service.migrations().unwritten(DIRECTORY).await? {
                Some(statements) if check => unwritten(&statements, "the structs differ from the database"),
                Some(statements) => print(statements.trim_end()),
                None => print("Nothing to write: the database matches the structs."),
            }
        }
        MigrateTask::Diff { .. } => match service.migrations().write(DIRECTORY).await? {
            Some(written) => print(&report(&written)),
            None => print("Nothing to write: the database matches the structs."),
        },
        MigrateTask::Add { name } => {
            let is_first = !has_migrations();
            let WrittenChange { up, down } = service.migrations().write_empty(DIRECTORY, &name).await?;
            if is_first {
                print("Written: files that create the tables, which come before it")?;
            }
            print(&format!("Written: {}\nWritten: {}", up.display(), down.display()))?;
            print("Write the statements and the way back, then `crud migrate hash`.")
        }
        MigrateTask::Data { name } => {
            let file = service.migrations().write_data(DIRECTORY, &name).await?;
            print(&format!("Written: {}\nWritten: {DIRECTORY}/{SUMS}", file.display()))?;
            print(&format!("Add its code: `Service::data_migration(DataMigration::each(\"{name}\", …))`."))
        }
        MigrateTask::Apply => {
            progress(&service.migrations().status(DIRECTORY).await?);
            let report = |migration: &str, progress: &MigrationProgress, rate| {
                eprintln!("{migration}: {progress}, {rate} a second");
            };
            let applied = service.apply_migrations(Path::new(DIRECTORY), report).await?;
            for stale in service.migrations().stale_down_files(DIRECTORY).await? {
                eprintln!("`migrate revert` would refuse a file: {stale}");
            }
            if applied.is_empty() {
                return print("Nothing to apply: the database has every migration.");
            }
            print(&listed("Applied", &applied))
        }
        MigrateTask::Status => {
            let status = service.migrations().status(DIRECTORY).await?;
            if status.iter().next().is_none() {
                return print("There are no migrations.");
            }
            print(&status.to_string())?;
            if let Some(line) = own_tables(service).await? {
                print(&line)?;
            }
            // Pending migrations are not an error.
            let is_error = status
                .iter()
                .any(|migration| !matches!(migration.state, MigrationState::Applied | MigrationState::Pending));
            if is_error { Ok(status.check()?) } else { Ok(()) }
        }
        MigrateTask::Revert { yes } => {
            confirm(&service.migrations().losses(DIRECTORY).await?, yes)?;
            match service.migrations().revert(DIRECTORY).await? {
                Some(name) => print(&format!("Applied: {name}")),
                None => print("Nothing to revert: no migration is applied."),
            }
        }
        MigrateTask::Verify { shadow } => {
            let verify = async |shadow: &str| service.migrations().verify(DIRECTORY, shadow).await;
            match on_shadow(url, shadow.url, verify).await? {
                Some(statements) => unwritten(&statements, "the structs need more than the migrations make"),
                None => print("The migrations make what the structs need."),
            }
        }
        MigrateTask::Hash => {
            let changed = migrations::hash(DIRECTORY)?;
            if changed.is_empty() {
                return print("Nothing to write: every file has its hash.");
            }
            print(&listed("Hashed", &changed))
        }
        MigrateTask::Rebase { files, shadow } => {
            let rebase = async |shadow: &str| service.migrations().rebase(DIRECTORY, &files, shadow).await;
            let rebased = on_shadow(url, shadow.url, rebase).await?;
            let lines = [listed("Removed", &rebased.removed), listed("Written", &rebased.written)];
            print(lines.join("\n").trim_end())?;
            print("Review them before you apply them.")
        }
    }
}

/// A line for each name, such as `applied: 0001_init`.
fn listed(done: &str, names: &[String]) -> String {
    names.iter().map(|name| format!("{done}: {name}")).collect::<Vec<_>>().join("\n")
}

/// Line on the version of the service's own tables in the database, with what tables of an older version lack; `None`
/// without such tables.
async fn own_tables(service: &Service) -> Result<Option<String>> {
    let mut own = service.described_tables()?;
    own.retain(|table| is_internal(table));
    if own.is_empty() {
        return Ok(None);
    }
    let differences = service.administration.compare(&own).await.map_err(Error::Database)?;
    let lacking = differences.iter().filter(|difference| difference.verdict() != Verdict::Fits);
    let lines: Vec<String> = lacking.map(|one| format!("\n  {}: {one}", one.verdict())).collect();
    let not = if lines.is_empty() { "" } else { "not those of " };
    Ok(Some(format!("own tables: {not}{VERSION}{}", lines.concat())))
}

/// Prints statements that no file has; the command fails.
fn unwritten(statements: &str, what: &str) -> Result<()> {
    print(statements.trim_end())?;
    setup(format!("{what}: `migrate diff` writes the statements above"))
}

/// Runs a function on an empty database: that of a URL, or a temporary one.
async fn on_shadow<T>(url: Option<&str>, given: Option<String>, run: impl AsyncFnOnce(&str) -> Result<T>) -> Result<T> {
    if let Some(given) = given {
        return run(&given).await;
    }
    let shadow = ShadowDatabase::create(url.unwrap_or_default()).await?;
    let result = run(shadow.url()).await;
    let removed = shadow.remove().await;
    let result = result?;
    removed.map(|()| result)
}

/// Asks on a terminal whether records may be dropped; elsewhere that is an error. `yes`: whether the answer is given
/// already; the losses are only printed then.
fn confirm(losses: &[MigrationLoss], yes: bool) -> Result<()> {
    let lost: Vec<String> = losses.iter().filter(|loss| loss.records > 0).map(ToString::to_string).collect();
    if lost.is_empty() {
        return Ok(());
    }
    let lost = lost.join(", ");
    if yes {
        eprintln!("This drops {lost}.");
        return Ok(());
    }
    if !io::stdin().is_terminal() {
        return setup(format!("this would drop {lost}: `migrate revert --yes` does so"));
    }
    eprint!("This drops {lost}. Revert? [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(|error| Error::Setup(error.to_string()))?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => setup("nothing was reverted"),
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
    if written.baseline.is_some() {
        lines.push("The first creates the tables as they are, for an empty database.".to_owned());
    }
    lines.push(format!("Written: {DIRECTORY}/{SUMS}"));
    lines.push("Review them before you apply them: comments mark what only you can decide.".to_owned());
    lines.push("After an edit: `crud migrate hash`.".to_owned());
    lines.join("\n")
}
