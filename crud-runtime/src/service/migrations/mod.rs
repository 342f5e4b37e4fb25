//! Written migrations: the differences of structs and database as reviewed SQL files, applied in order.
//!
//! [`Service::migrations`] compares the database with the structs and writes files, applies and reverts them, and returns the
//! state of each. Files and the table `_crud_migrations` have sqlx's layout: `sqlx migrate run` and `sqlx::migrate!` work on
//! the same directory, with that name as `table-name` in `sqlx.toml`.
//!
//! ```no_run
//! use crud_runtime::prelude::*;
//!
//! #[derive(Debug, Clone, Resource)]
//! struct Book { id: i64, title: String }
//!
//! # async fn run() -> crud_runtime::Result<()> {
//! let service = Service::connect("sqlite://books.db").await?.resource::<Book>();
//! if let Some(written) = service.migrations().write("migrations").await? {
//!     println!("read {:?}, and apply them", written.changes);
//! }
//! // After the review:
//! service.migrations().apply("migrations").await?;
//! service.migrations_from("migrations").migrate().await?.serve("127.0.0.1:8000").await
//! # }
//! ```
//!
//! # Contents of a migration
//! The tables, columns, indexes and constraints (`UNIQUE`, `CHECK`, `FOREIGN KEY`, `NOT NULL`) that the structs need, and
//! the statements that revert them. A statement that existing records may violate has a comment that says so, and fails
//! without effect if they do. Nothing stored is dropped, renamed or converted: such a statement is a comment, a proposal
//! for the reader. Tables without a resource and the defaults of existing columns stay as they are: the service fills in
//! defaults itself.
//!
//! A new field that is neither nullable nor has a constant default is a proposal too: only the reader knows the value for
//! existing records. On `SQLite`, many changes need a rebuilt table: written anew, with its records, indexes, triggers and
//! columns without a field; where a type changes, the whole rebuild is a comment. It fails where the table has columns that
//! the file does not know, such as those of a migration that was merged since.
//!
//! # Locks
//! On PostgreSQL a change of a table that is there is several files: constraints are added as `NOT VALID` and validated in a
//! later transaction, and indexes are made concurrently, each alone in its file. A statement waits for a lock for 200 ms, on
//! `MySQL` for a second; then what waits behind it goes on, and the file is tried again, for five minutes.
//!
//! # The file `crud.sum`
//! A directory has a line with a hash for each of its files, in order, so that two branches that each add a file conflict. It
//! is written with each file; a directory without it gets it with the next one. An edit is accepted by
//! [`hash`], and [`ServiceMigrations::rebase`] puts the files of a branch behind those of another.
//!
//! # Data migrations
//! A [`DataMigration`] is code of the program that a file of the directory names: a step of the same history.
//!
//! # A process that is killed
//! A file and the record that it was applied are one transaction, also that of a rebuild, whose frame (`-- no-transaction`,
//! pragmas, `BEGIN`, `COMMIT`) is for sqlx's own tools: run by those, a rebuild is not recorded in its transaction. On
//! `MySQL`, which commits each change of a table by itself, each statement of a file is recorded; applied again, the file goes
//! on behind the last one. A file of the program's that begins with `-- no-transaction` has one statement, which is recorded
//! before and after and repeated after a kill; a PostgreSQL index that was being created concurrently is dropped before.

mod apply;
mod compose;
mod data_file;
mod directory;
mod losses;
mod program;
mod rebase;
mod status;
mod sums;
mod text;
mod verify;

use std::path::{Path, PathBuf};

use directory::Directory;
pub use directory::WrittenChange;
pub use losses::MigrationLoss;
pub use rebase::Rebased;
pub use status::{Migration, MigrationState, MigrationStatus};
#[cfg(feature = "config")]
pub(crate) use sums::FILE as SUMS;
use sums::Sums;
pub use verify::ShadowDatabase;

use super::builder::Service;
use crate::storage::error::{Error, Result};
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{Direction, Migrations};
use crate::storage::schema::{Difference, Verdict};
use crate::storage::unused_table::UnusedTable;
use crate::store::data_migration::Report;
pub use crate::store::data_migration::{DataMigration, MigrationProgress};

/// The files of a written migration.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The file that creates the tables as they were, where they were made without a migration.
    pub baseline: Option<PathBuf>,
    /// The changes, in order: several, where a database makes indexes and checks records while others use the table, which
    /// it does in no transaction, and in a separate one.
    pub changes: Vec<WrittenChange>,
}

/// Accepts edits of a directory's files: writes their hashes into its file `crud.sum`. Returns the names of the files
/// whose lines are new or differ.
///
/// ```
/// # fn main() -> crud_runtime::Result<()> {
/// # let directory = tempfile::tempdir().unwrap();
/// # let directory = directory.path();
/// std::fs::write(directory.join("20261121181559_books.sql"), "CREATE TABLE books (id INTEGER);").unwrap();
/// assert_eq!(crud_runtime::migrations::hash(directory)?, ["20261121181559_books.sql"]);
/// assert!(crud_runtime::migrations::hash(directory)?.is_empty());
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`MigrateError::Directory`] when the directory cannot be read or written.
pub fn hash(directory: impl AsRef<Path>) -> Result<Vec<String>> {
    Ok(Sums::write(directory.as_ref(), &[])?)
}

/// # Migrations
///
/// Written migrations: files of statements with a history.
impl Service {
    /// Sets the directory of the written migrations. [`migrate`](Self::migrate) then creates nothing: it refuses a database
    /// that lacks one of them, or still differs from the structs. One that has migrations of a newer program is used while it
    /// fits.
    pub fn migrations_from(mut self, directory: impl Into<PathBuf>) -> Self {
        self.migrations = Some(directory.into());
        self
    }

    /// The written migrations: files of statements in a directory, and their history in the database.
    pub const fn migrations(&self) -> ServiceMigrations<'_> {
        ServiceMigrations(self)
    }

    /// Applies the pending migrations, and reports the progress of data migrations.
    pub(crate) async fn apply_migrations(&self, directory: &Path, report: Report) -> Result<Vec<String>> {
        let directory = Directory::read(directory).await?;
        self.check_data_migrations()?;
        let mut program = self.own_database()?;
        program.report = report;
        Ok(apply::apply_own(&directory, &program).await?)
    }

    /// Checks that the migrations are applied and the database lacks nothing; of one that a newer program has changed, that
    /// it fits.
    pub(super) async fn check_migrated(&self, directory: &Path) -> Result<()> {
        let files = Directory::read(directory).await?;
        let mut status = files.status(self.storage()?).await?;
        self.check_named(&files, &status)?;
        if let Some(unfinished) = self.unfinished(&files, &mut status).await {
            return Err(unfinished.into());
        }
        let newer = match status.check() {
            // A file that is pending as well is another branch's.
            Err(MigrateError::Ahead(names)) if status.pending().next().is_none() => names,
            checked => {
                checked?;
                Vec::new()
            }
        };
        let lacks = |difference: &Difference| match newer.as_slice() {
            [] => difference.is_created(),
            _ => difference.verdict() == Verdict::Refuses,
        };
        let missing: Vec<String> = match self.plan().await {
            Ok(statements) if statements.is_empty() => Vec::new(),
            Ok(_) => self.differences().await?.iter().filter(|one| lacks(one)).map(Difference::to_string).collect(),
            Err(Error::Migrate(MigrateError::Mismatch(lines))) => lines,
            Err(other) => return Err(other),
        };
        let list = || newer.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        if missing.is_empty() {
            if !newer.is_empty() {
                tracing::warn!(migrations = list(), "the database is ahead of this program, and fits it");
            }
            return Ok(());
        }
        let note = (!newer.is_empty()).then(|| format!("this program is older than the migrations {}", list()));
        Err(MigrateError::Mismatch(missing.into_iter().chain(note).collect()).into())
    }

    /// A directory that is applied, and the files that it lacks.
    async fn unwritten_files(&self, directory: &Path) -> Result<(Directory, Vec<text::Files>)> {
        self.check()?;
        let directory = Directory::read(directory).await?;
        let storage = self.storage()?;
        directory.status(storage).await?.check()?;
        let files = compose::files(&directory, storage, &self.described_tables()?, None).await?;
        Ok((directory, files))
    }

    fn storage(&self) -> Result<&dyn Migrations, MigrateError> {
        self.learn_sharded_tables();
        self.administration.migrations().ok_or(MigrateError::Unsupported)
    }
}

/// The written migrations of a service: [`Service::migrations`] returns them.
///
/// ```no_run
/// # use crud_runtime::prelude::*;
/// # async fn run(service: Service) -> crud_runtime::Result<()> {
/// let migrations = service.migrations();
/// if !migrations.diff().await?.is_empty() {
///     migrations.write("migrations").await?;
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ServiceMigrations<'s>(&'s Service);

impl ServiceMigrations<'_> {
    /// The differences between the database and the structs. On a server, the user must be allowed to create temporary
    /// tables: CHECK conditions are compared as the server spells them there.
    ///
    /// # Errors
    /// Errors of [`Service::into_router`]; [`MigrateError::Unsupported`] on storage without migrations.
    pub async fn diff(self) -> Result<Vec<Difference>> {
        self.0.check()?;
        Ok(self.0.storage()?.diff(&self.0.described_tables()?).await?)
    }

    /// Writes a migration from the database to the structs into a directory, which is created if missing; `None`, and no
    /// file, if they do not differ. Review it before you apply it.
    ///
    /// Where the directory is empty and there are tables, a first migration creates them as they are now, so that the same
    /// files make an empty database too. Applied to this database, it changes nothing.
    ///
    /// A proposal in an earlier file, such as to drop a column without a field, is not repeated.
    ///
    /// # Errors
    /// Errors of [`diff`](Self::diff) and [`MigrationStatus::check`], such as [`MigrateError::Behind`] while a migration is
    /// pending, which this one would repeat; [`MigrateError::Directory`] when the directory cannot be read or written.
    pub async fn write(self, directory: impl AsRef<Path>) -> Result<Option<Written>> {
        let (directory, files) = self.0.unwritten_files(directory.as_ref()).await?;
        let has_baseline = files.first().is_some_and(|first| first.description == text::BASELINE);
        let mut written = directory.write(&files, directory.next_version())?.into_iter();
        let baseline = if has_baseline { written.next().map(|file| file.up) } else { None };
        let changes: Vec<WrittenChange> = written.collect();
        Ok(if changes.is_empty() { None } else { Some(Written { baseline, changes }) })
    }

    /// The statements that [`write`](Self::write) would write; `None` where it would write nothing.
    /// Writes nothing itself.
    ///
    /// # Errors
    /// Errors of [`write`](Self::write).
    pub async fn unwritten(self, directory: impl AsRef<Path>) -> Result<Option<String>> {
        let (_, files) = self.0.unwritten_files(directory.as_ref()).await?;
        Ok(compose::statements(files))
    }

    /// Writes an empty migration for statements of the program's author into a directory, which is created if missing. Its hash is
    /// not written: until [`hash`] accepts the statements, a directory with hashes refuses to be applied.
    ///
    /// In a directory without files, those come first that [`write`](Self::write) writes, or else one that
    /// creates the tables as they are: an empty database has them when the statements run.
    ///
    /// # Errors
    /// Errors of [`write`](Self::write) in a directory without files; [`MigrateError::Directory`] when the
    /// name has other characters than `a` to `z`, `0` to `9` and `_`, or the directory cannot be read or written.
    pub async fn write_empty(self, directory: impl AsRef<Path>, name: &str) -> Result<WrittenChange> {
        let path = directory.as_ref();
        let mut directory = Directory::read(path).await?;
        data_file::check_name(name).map_err(|reason| directory::unusable(directory.path(), &reason))?;
        if directory.is_empty() {
            if self.write(path).await?.is_none() {
                let present = self.0.storage()?.present(&self.0.described_tables()?).await?;
                let baseline = (!present.is_empty()).then(|| text::baseline(&present));
                directory.write(baseline.as_slice(), directory.next_version())?;
            }
            directory = Directory::read(path).await?;
        }
        Ok(directory.write_empty(name)?)
    }

    /// The states of a directory's migrations in the database.
    ///
    /// # Errors
    /// [`MigrateError::Unsupported`] on storage without migrations; [`MigrateError::Directory`] when the directory
    /// cannot be read.
    pub async fn status(self, directory: impl AsRef<Path>) -> Result<MigrationStatus> {
        let directory = Directory::read(directory.as_ref()).await?;
        let mut status = directory.status(self.0.storage()?).await?;
        self.0.add_progress(&directory, &mut status).await;
        Ok(status)
    }

    /// Applies the pending migrations of a directory, in order; returns their files' names. Each runs in a transaction if
    /// the database supports that for its statements.
    ///
    /// # Errors
    /// Errors of [`status`](Self::status) and, except for [`MigrateError::Behind`], of
    /// [`MigrationStatus::check`]; [`MigrateError::Directory`] where a file is not that of its hash in `crud.sum`;
    /// [`MigrateError::Failed`] with the first migration that fails.
    pub async fn apply(self, directory: impl AsRef<Path>) -> Result<Vec<String>> {
        self.0.apply_migrations(directory.as_ref(), program::LOG).await
    }

    /// The down files that [`revert`](Self::revert) would refuse, as their up files were edited after they
    /// were written: a line each.
    ///
    /// # Errors
    /// [`MigrateError::Directory`] when the directory cannot be read.
    pub async fn stale_down_files(self, directory: impl AsRef<Path>) -> Result<Vec<String>> {
        Ok(Directory::read(directory.as_ref()).await?.stale_downs())
    }

    /// Losses of a revert: the tables and columns that the down file of the last migration drops, with the number of their
    /// records.
    ///
    /// # Errors
    /// As [`revert`](Self::revert).
    pub async fn losses(self, directory: impl AsRef<Path>) -> Result<Vec<MigrationLoss>> {
        let directory = Directory::read(directory.as_ref()).await?;
        let storage = self.0.storage()?;
        let back = directory.way_back(&directory.status(storage).await?)?.filter(|file| file.is_down());
        let mut losses = Vec::new();
        for (table, column) in back.map(|down| losses::dropped(&down.sql)).unwrap_or_default() {
            if let Some(records) = storage.records(&table, column.as_deref()).await? {
                losses.push(MigrationLoss { table, column, records });
            }
        }
        Ok(losses)
    }

    /// Reverts the last migration by its file `….down.sql`, or a [data migration](DataMigration) by its way back; returns the
    /// file's name, or `None` if none is applied.
    /// Dropped tables and columns return without their values: see [`losses`](Self::losses).
    ///
    /// # Errors
    /// Errors of [`status`](Self::status); [`MigrateError::Ahead`] when the directory lacks the
    /// migration, [`MigrateError::Directory`] when it lacks the file, or has one that was written for another up file;
    /// [`MigrateError::Failed`], also for a data migration without a way back.
    pub async fn revert(self, directory: impl AsRef<Path>) -> Result<Option<String>> {
        let directory = Directory::read(directory.as_ref()).await?;
        let program = self.0.own_database()?;
        let back = directory.way_back(&directory.status(program.storage).await?)?;
        let Some(file) = back else { return Ok(None) };
        if file.is_down() {
            program.storage.revert(file).await?;
        } else {
            program.run(&directory, file, Direction::Down).await?;
        }
        Ok(Some(file.name.clone()))
    }

    /// Writes the file that names a data migration, behind all others of a directory, which is created if missing; returns
    /// its path.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let directory = directory.path();
    /// let service = Service::connect("sqlite::memory:").await?;
    /// let file = service.migrations().write_data(directory, "split_names").await?;
    /// assert!(std::fs::read_to_string(file).unwrap().starts_with("-- data-migration split_names\n"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`MigrateError::Directory`] when the name is another file's or no name, and when the directory cannot be written.
    pub async fn write_data(self, directory: impl AsRef<Path>, name: &str) -> Result<PathBuf> {
        let directory = Directory::read(directory.as_ref()).await?;
        if let Some(file) = directory.data_file(name) {
            let reason = format!("`{}` names the data migration `{name}` already", file.name);
            return Err(directory::unusable(directory.path(), &reason).into());
        }
        data_file::check_name(name).map_err(|reason| directory::unusable(directory.path(), &reason))?;
        Ok(directory.write_simple(name, &data_file::text(name))?)
    }
}

/// Checks the files of a directory against their hashes, where it has some.
#[cfg(feature = "config")]
pub(crate) fn check_sums(directory: &Path) -> Result<()> {
    Ok(Sums::check(directory)?)
}

/// Marks the tables that a migration of a directory creates as known.
pub(super) async fn mark_created(directory: &Path, tables: &mut [UnusedTable]) {
    let Ok(directory) = Directory::read(directory).await else { return };
    for table in tables {
        table.is_known |= directory.creates(&table.name);
    }
}
