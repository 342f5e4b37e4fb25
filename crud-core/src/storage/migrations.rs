//! [`Migrations`]: storage whose tables change by written migrations.

use std::future::ready;
use std::time::Instant;

use super::future::BoxFuture;
use super::migrate_error::MigrateError;
use super::schema::Difference;
use crate::model::descriptor::Descriptor;

/// Begin of the comment in a down file on a column that a rebuild drops: ``-- Loses the values of `books`.`language`.``
pub const LOSES: &str = "-- Loses the values of ";

/// Part of the error of a rebuild whose table has columns that its file does not copy, such as those of a merged branch.
pub const UNKNOWN_COLUMNS: &str = "columns that this file does not know";

/// `IF NOT EXISTS` where MariaDB has it. MySQL takes it for a comment: there, a statement with it succeeds where what it
/// creates exists.
pub const IF_NOT_EXISTS: &str = "/*M! IF NOT EXISTS */";

/// Table of the applied migrations.
pub const HISTORY_TABLE: &str = "_crud_migrations";

/// Table of the applied migrations of sqlx's own users, which was ours too. One with the version of a file of ours is.
pub const SQLX_HISTORY_TABLE: &str = "_sqlx_migrations";

/// Table of the progress of data migrations, which exists once one has begun.
pub const PROGRESS_TABLE: &str = "crud_data_migrations";

/// Result of a call of [`Migrations`], to be awaited.
pub type Migrating<'a, T> = BoxFuture<'a, Result<T, MigrateError>>;

/// Written migrations of a storage: files of statements, applied in order and recorded in the database.
pub trait Migrations: Send + Sync {
    /// Differences between the database and what these resources need.
    fn diff<'a>(&'a self, resources: &'a [&'static Descriptor]) -> Migrating<'a, Vec<Difference>>;

    /// The statements that make up for the differences. `sizes`: the numbers of records of another database, whose tables are
    /// those of this empty one; that of a table that is not among them is unknown.
    fn script<'a>(
        &'a self,
        resources: &'a [&'static Descriptor],
        sizes: Option<&'a [(&'static str, u64)]>,
    ) -> Migrating<'a, Script>;

    /// The statements that create the tables and views of these resources as they are now, for the first migration of a database
    /// that was made without any: it adds `IF NOT EXISTS` to what begins a line with `CREATE TABLE`, `INDEX` or `TRIGGER`. None, unless storage says otherwise.
    fn present<'a>(&'a self, resources: &'a [&'static Descriptor]) -> Migrating<'a, Vec<Step>> {
        let _ = resources;
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// The applied migrations, in order. The table that records them is not created where there is none. `versions`: those of
    /// the files, by which a [table that sqlx's users share](SQLX_HISTORY_TABLE) is known.
    fn applied<'a>(&'a self, versions: &'a [i64]) -> Migrating<'a, Vec<AppliedMigration>>;

    /// Applies those of the migrations, which are in order, that the database lacks, up to the first
    /// [data migration](MigrationFile::data_migration) among them.
    ///
    /// # Errors
    /// [`MigrateError::Failed`] with the first migration that fails; those before it stay applied.
    /// [`MigrateError::Ahead`] and [`MigrateError::Changed`] when an applied migration is missing or has another checksum;
    /// [`MigrateError::OutOfOrder`] when one that is newer than a pending one is applied.
    fn apply<'a>(&'a self, migrations: &'a [MigrationFile]) -> Migrating<'a, ()>;

    /// Number of the records of a table, or of those with a value of a column; `None` for a table or column that is missing.
    fn records<'a>(&'a self, table: &'a str, column: Option<&'a str>) -> Migrating<'a, Option<u64>>;

    /// Reverts an applied migration by the statements of its `….down.sql`.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn revert<'a>(&'a self, down: &'a MigrationFile) -> Migrating<'a, ()>;

    /// Records that a data migration begins, and resets its progress, unless it has begun before; whether it is to run. It
    /// is not where another process has applied or reverted it meanwhile.
    ///
    /// # Errors
    /// [`MigrateError::Interrupted`] while it runs in the other direction; [`MigrateError::OutOfOrder`]; by default
    /// [`MigrateError::Unsupported`].
    fn begin_data<'a>(&'a self, file: &'a MigrationFile, direction: Direction) -> Migrating<'a, bool> {
        let _ = (file, direction);
        Box::pin(ready(Err(MigrateError::Unsupported)))
    }

    /// Records that a data migration, which began at `start`, has ended.
    ///
    /// # Errors
    /// [`MigrateError::Interrupted`] when it has not begun in this direction; by default [`MigrateError::Unsupported`].
    fn end_data<'a>(&'a self, file: &'a MigrationFile, direction: Direction, start: Instant) -> Migrating<'a, ()> {
        let _ = (file, direction, start);
        Box::pin(ready(Err(MigrateError::Unsupported)))
    }
}

/// Direction in which a migration changes the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Applied.
    Up,
    /// Reverted.
    Down,
}

impl Direction {
    /// The direction's name: `up` or `down`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
        }
    }
}

/// A file of a written migration: its version and its statements.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MigrationFile {
    /// The version, such as 20261121181559; both files of a migration have the same.
    pub version: i64,
    /// Description of the migration, in the words of the file's name.
    pub description: String,
    /// The statements.
    pub sql: String,
    /// The hash of the statements, SHA-384.
    pub checksum: Vec<u8>,
    /// Whether the statements run in a transaction; not where the file begins with `-- no-transaction`.
    pub in_transaction: bool,
    /// The name of the data migration that the program runs in the place of the statements; not where the file does not begin
    /// with `-- data-migration NAME`.
    pub data_migration: Option<String>,
}

impl MigrationFile {
    /// A file whose statements run in a transaction.
    pub const fn new(version: i64, description: String, sql: String, checksum: Vec<u8>) -> Self {
        Self { version, description, sql, checksum, in_transaction: true, data_migration: None }
    }
}

/// Statements that change tables, both ways.
#[derive(Debug, Clone)]
pub struct Script {
    /// The changes, in order.
    pub steps: Vec<Step>,
    /// The statements before and after the steps, where a step cannot run in the migrator's transaction.
    pub frame: (&'static str, &'static str),
}

/// A change of one table.
#[derive(Debug, Clone)]
pub struct Step {
    /// The table.
    pub table: &'static str,
    /// The statements that make the change, each with its semicolon; a proposal is commented out.
    pub up: String,
    /// The statements that revert it.
    pub down: String,
    /// The kind of change.
    pub kind: StepKind,
}

impl Step {
    /// A change of the table.
    pub const fn alter(table: &'static str, up: String, down: String) -> Self {
        Self { table, up, down, kind: StepKind::Alter }
    }
}

/// The kind of a [`Step`]. Those of a database that changes tables while others use them follow the others of a script:
/// [`Concurrent`](Self::Concurrent) and [`Fill`](Self::Fill) ones in a file each, and each later kind in a separate
/// transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// Creates the table.
    Create,
    /// Changes the table.
    Alter,
    /// Rebuilds the table, for which the script needs its frame.
    Rebuild,
    /// Changes nothing: commented-out statements, written once, for the reader to choose.
    Proposal,
    /// Drops an index of words that no struct asks for. Where no file of the directory has made it, it may be another program's,
    /// and the step becomes a proposal.
    Unneeded,
    /// Makes an index while others use the table: a statement that runs in no transaction.
    Concurrent,
    /// Fills in the values of records in batches, each a transaction: a statement that runs in no transaction.
    Fill,
    /// Adds a constraint that needs such an index, or values that are filled in.
    Constrain,
    /// Checks the records that are there against a constraint, while others use the table.
    Validate,
    /// Changes the table after its records were checked.
    Finish,
}

/// An applied migration, as the database records it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AppliedMigration {
    /// Its version.
    pub version: i64,
    /// The hash of its statements when it was applied.
    pub checksum: Vec<u8>,
    /// Whether all of its statements ran.
    pub complete: bool,
    /// The databases that lack it, of storage in several: the others have it.
    pub lacking: Vec<String>,
}

impl AppliedMigration {
    /// A migration as the database records it.
    pub const fn new(version: i64, checksum: Vec<u8>, complete: bool) -> Self {
        Self { version, checksum, complete, lacking: Vec::new() }
    }
}
