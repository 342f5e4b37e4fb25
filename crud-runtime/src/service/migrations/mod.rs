//! Written migrations: what structs and a database differ in as SQL that a person has read, applied in order.
//!
//! [`Service::write_migration`] compares and writes, [`Service::apply_migrations`] applies, and
//! [`Service::migration_status`] tells how a database stands to a directory. The files are those of sqlx, and so is
//! the table `_sqlx_migrations`: `sqlx migrate run` and `sqlx::migrate!` work on the same directory.
//!
//! ```no_run
//! use crud_runtime::prelude::*;
//!
//! #[derive(Debug, Clone, Resource)]
//! struct Book { id: i64, title: String }
//!
//! # async fn run() -> crud_runtime::Result<()> {
//! let service = Service::connect("sqlite://books.db").await?.resource::<Book>();
//! if let Some(written) = service.write_migration("migrations").await? {
//!     println!("read {}, and apply it", written.up.display());
//! }
//! // When that has been done:
//! service.apply_migrations("migrations").await?;
//! service.migrations("migrations").migrate().await?.serve("127.0.0.1:8000").await
//! # }
//! ```
//!
//! # What is written
//! Tables, columns, indexes and constraints (`UNIQUE`, `CHECK`, `FOREIGN KEY`, `NOT NULL`) that the structs need, and
//! the statements that take that back. Statements that records could refuse fail as a whole then, and say so above.
//! Nothing that is stored is dropped, renamed or converted: where that may be meant, the statement is there as a
//! comment, and the file does without. Tables that no resource has are left alone, and so are the defaults of columns
//! that are there: the service fills them in itself.
//!
//! A field without constant default that cannot be null is such a statement: only the reader knows what the records
//! that are there get. `SQLite` takes many changes only in a table that is written anew: the file does that, in a
//! transaction of its own (`-- no-transaction` keeps sqlx from another one around it), with the records, the
//! indexes, the triggers and the columns that no field has; where a type changes, all of it is a comment. A process
//! that is killed in the moment between that transaction and sqlx's note of it leaves the migration pending: applied
//! once more, it does the same again, or fails at what is there.

mod directory;
mod status;
mod text;

use std::path::{Path, PathBuf};

use directory::Directory;
pub use status::{Migration, MigrationStatus, State};

use super::builder::Service;
use crate::storage::error::Result;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{Migrations, StepKind};
use crate::storage::schema::Difference;

/// A migration that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file that changes the database.
    pub up: PathBuf,
    /// The file that takes that back.
    pub down: PathBuf,
}

impl Service {
    /// Says where the written migrations are: [`migrate`](Self::migrate) creates nothing then. It refuses a database
    /// to which they have not been applied, one that has others, and one that lacks something all the same.
    pub fn migrations(mut self, directory: impl Into<PathBuf>) -> Self {
        self.migrations = Some(directory.into());
        self
    }

    /// How the database differs from what the resources need. A server is shown the conditions of CHECK constraints in
    /// a temporary table, because it writes them in its own words: its user must be allowed to create one.
    ///
    /// # Errors
    /// As [`into_router`](Self::into_router); [`MigrateError::Unsupported`] on storage without migrations.
    pub async fn diff(&self) -> Result<Vec<Difference>> {
        self.check()?;
        Ok(self.storage()?.diff(&self.tables()).await?)
    }

    /// Writes what makes the database as the structs are into a new migration in a directory, which is created where
    /// there is none; `None`, and no file, when there is nothing to do. Read it before you apply it.
    ///
    /// A proposal that an earlier file has, such as to drop a column that no field has, is not written again.
    ///
    /// # Errors
    /// As [`diff`](Self::diff); [`MigrateError::Behind`] while a migration in the directory has not been applied,
    /// because this one would say the same again, and the others of [`MigrationStatus::check`];
    /// [`MigrateError::Directory`] when the directory cannot be read or written.
    pub async fn write_migration(&self, directory: impl AsRef<Path>) -> Result<Option<Written>> {
        self.check()?;
        let directory = Directory::read(directory.as_ref()).await?;
        directory.status(self.storage()?).await?.check()?;
        let tables = self.tables();
        let mut script = self.storage()?.script(&tables).await?;
        script.steps.retain(|step| step.kind != StepKind::Proposal || !directory.says(&step.up));
        if script.steps.is_empty() {
            return Ok(None);
        }
        let created = script.steps.iter().filter(|step| step.kind == StepKind::Create).count();
        let beginning = match (directory.is_empty(), created == tables.len()) {
            (false, _) => text::Beginning::Later,
            (true, true) => text::Beginning::Empty,
            (true, false) => text::Beginning::Tables,
        };
        let (up, down) = text::write(&script, beginning);
        Ok(Some(directory.write(&text::description(&script), &up, &down)?))
    }

    /// How the database stands to the migrations in a directory.
    ///
    /// # Errors
    /// [`MigrateError::Unsupported`] on storage without migrations; [`MigrateError::Directory`] when the directory
    /// cannot be read.
    pub async fn migration_status(&self, directory: impl AsRef<Path>) -> Result<MigrationStatus> {
        let directory = Directory::read(directory.as_ref()).await?;
        Ok(directory.status(self.storage()?).await?)
    }

    /// Applies the migrations of a directory that the database lacks, in order; their files' names. Each is in a
    /// transaction of its own, where the database has such.
    ///
    /// # Errors
    /// Those of [`migration_status`](Self::migration_status) and [`MigrationStatus::check`], except that what is
    /// behind is brought up; [`MigrateError::Failed`] with the first one that fails.
    pub async fn apply_migrations(&self, directory: impl AsRef<Path>) -> Result<Vec<String>> {
        let directory = Directory::read(directory.as_ref()).await?;
        let storage = self.storage()?;
        let mut status = directory.status(storage).await?;
        let names: Vec<String> = status.pending().map(str::to_owned).collect();
        loop {
            match status.check() {
                Ok(()) => return Ok(names),
                // What looks interrupted may be another process at work: for that one this one waits.
                Err(MigrateError::Behind(_) | MigrateError::Interrupted(_)) => {}
                Err(other) => return Err(other.into()),
            }
            let applied = storage.apply(&directory.up_files()).await;
            status = directory.status(storage).await?;
            if let Err(error) = applied
                && !is_done(&error, &status)
            {
                return Err(directory.name(error, true).into());
            }
        }
    }

    /// Takes the last migration back by its file `….down.sql`; the file's name, or `None` where none was applied.
    ///
    /// # Errors
    /// Those of [`migration_status`](Self::migration_status); [`MigrateError::Ahead`] when the directory lacks the
    /// migration, [`MigrateError::Directory`] when it lacks the file; [`MigrateError::Failed`].
    pub async fn revert_migration(&self, directory: impl AsRef<Path>) -> Result<Option<String>> {
        let directory = Directory::read(directory.as_ref()).await?;
        let Some(down) = directory.last_applied(&directory.status(self.storage()?).await?)? else { return Ok(None) };
        let reverted = self.storage()?.revert(&directory::migration_file(down)).await;
        reverted.map_err(|error| directory.name(error, false))?;
        Ok(Some(directory::file_name(down)))
    }

    /// Refuses a database that is not what the migrations make of it.
    pub(crate) async fn check_migrated(&self, directory: &Path) -> Result<()> {
        self.migration_status(directory).await?.check()?;
        if self.plan().await?.is_empty() {
            return Ok(());
        }
        let missing = self.diff().await?.into_iter().filter(Difference::is_created);
        Err(MigrateError::Mismatch(missing.map(|difference| difference.to_string()).collect()).into())
    }

    fn storage(&self) -> Result<&dyn Migrations, MigrateError> {
        self.adapter.migrations().ok_or(MigrateError::Unsupported)
    }
}

/// Whether what failed has been done all the same: another process has applied it at the same time.
fn is_done(error: &MigrateError, status: &MigrationStatus) -> bool {
    match error {
        MigrateError::Failed { name, .. } => {
            status.iter().any(|one| one.state == State::Applied && one.version.to_string() == *name)
        }
        _ => status.check().is_ok(),
    }
}
