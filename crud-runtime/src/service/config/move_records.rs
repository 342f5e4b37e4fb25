//! The command `move`.

use crud_config::command::Move;

use super::output::{self, end_progress, percent, print, setup};
use crate::service::builder::Service;
use crate::storage::backends::{self, Backend};
use crate::storage::error::Result;

/// Refuses URLs between which nothing can be moved, before either is opened.
///
/// # Errors
/// [`Error::Setup`](crate::Error::Setup).
pub(super) fn check(command: &Move) -> Result<()> {
    backends::of_url(&command.from)?;
    backends::of_url(&command.to)?;
    if command.from == command.to {
        return setup("`--from` and `--to` are the same database");
    }
    if [&command.from, &command.to].into_iter().any(|url| Backend::is_in_memory(url)) {
        return setup("a database in memory ends with the command: expected one of a file or a server");
    }
    if Backend::is_missing_file(&command.from) {
        return setup("`--from` names a file that does not exist");
    }
    Ok(())
}

/// Moves the records of the service to another database, and prints its tables. `files`: the directory of migrations, if it
/// has any.
pub(super) async fn run(service: &Service, command: &Move, files: Option<&str>) -> Result<()> {
    let kind = |url: &str| Backend::of_url(url).map(|backend| backend.database.name);
    let is_same_kind = kind(&command.from) == kind(&command.to);
    if let Some(directory) = files.filter(|_| is_same_kind) {
        check_migrated(&command.to, directory).await?;
    }
    let moved = service.move_records(backends::connect(&command.to).await?, progress).await;
    end_progress();
    let moved = moved?;
    print(&moved.to_string())?;
    let (tables, records) = (moved.tables().len(), moved.records());
    print(&format!("Moved: {records} records of {tables} tables. Each is in the target as it is in the source."))?;
    if let Some(directory) = files.filter(|_| !is_same_kind) {
        let line = format!(
            "The files in `{directory}` are SQL of the source: move them away before the service starts on the target."
        );
        print(&line)?;
    }
    Ok(())
}

/// Refuses a target that lacks a migration: once it has the tables, the migrations cannot be applied any more.
#[cfg_attr(not(feature = "migrations"), expect(clippy::unused_async))]
async fn check_migrated(target: &str, directory: &str) -> Result<()> {
    #[cfg(feature = "migrations")]
    if let Err(error) = Service::connect(target).await?.migrations().status(directory).await?.check() {
        let first = "run `crud migrate apply` with the target as `DATABASE_URL` first";
        return setup(format!("nothing is moved: the target: {error}: {first}"));
    }
    let _ = (target, directory);
    Ok(())
}

/// Prints the share of the records that is moved, to a terminal.
fn progress(table: &'static str, moved: u64, total: u64) {
    output::progress(&format!("{table}: {moved} of {total} records, {} %", percent(moved, total)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_those_of_two_databases() {
        for (from, to, expected) in [
            ("sqlite:a.db", "sqlite:a.db", "are the same database"),
            ("sqlite::memory:", "sqlite:a.db", "ends with the command"),
            ("sqlite:no-such.db", "sqlite:a.db", "does not exist"),
            ("oracle://a/b", "sqlite:a.db", "no database for URLs that begin with `oracle:`"),
        ] {
            let command = Move { from: from.to_owned(), to: to.to_owned() };
            let error = check(&command).expect_err(from).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
