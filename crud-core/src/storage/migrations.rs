//! [`Migrations`]: storage whose tables change by written migrations.

use std::time::Instant;

use super::future::BoxFuture;
use super::migrate_error::MigrateError;
use super::schema::Difference;
use crate::model::descriptor::Descriptor;

/// Beginning of the comment in a down file on a column that a rebuild drops: ``-- Loses the values of
/// `books`.`language`.``
pub const LOSES: &str = "-- Loses the values of ";

/// Part of the error of a rebuild whose table has columns that its file does not copy, such as those of a merged branch.
pub const UNKNOWN_COLUMNS: &str = "columns that this file does not know";

/// `IF NOT EXISTS` for MariaDB. MySQL takes it for a comment: there, the migrator ignores the error that the created
/// object exists.
pub const IF_NOT_EXISTS: &str = "/*M! IF NOT EXISTS */";

/// Table of the applied migrations.
pub const HISTORY_TABLE: &str = "_crud_migrations";

/// sqlx's table of applied migrations, which was ours too. A table with the version of one of our files is ours.
pub const SQLX_HISTORY_TABLE: &str = "_sqlx_migrations";

/// Table of the progress of data migrations, which exists once one has begun.
pub const PROGRESS_TABLE: &str = "crud_data_migrations";

/// Result of a call of [`Migrations`], to be awaited.
pub type Migrating<'a, T> = BoxFuture<'a, Result<T, MigrateError>>;

/// Written migrations of a storage: files of statements, applied in order and recorded in the database.
pub trait Migrations: Send + Sync {
    /// Differences between the database and what these resources need.
    fn diff<'a>(&'a self, resources: &'a [&'static Descriptor]) -> Migrating<'a, Vec<Difference>>;

    /// The statements that resolve the differences. `sizes`: the number of records in each table of another database,
    /// which this empty one has the tables of; it is unknown for tables that are not listed.
    fn script<'a>(
        &'a self,
        resources: &'a [&'static Descriptor],
        sizes: Option<&'a [(&'static str, u64)]>,
    ) -> Migrating<'a, Script>;

    /// The statements that create the tables and views of these resources as they are now, for the first migration of a
    /// database that was created without migrations. The migration adds `IF NOT EXISTS` to lines that begin with
    /// `CREATE TABLE`, `INDEX` or `TRIGGER`.
    fn present<'a>(&'a self, resources: &'a [&'static Descriptor]) -> Migrating<'a, Vec<Step>>;

    /// The applied migrations, in order. The table that records them is not created where there is none. `versions`:
    /// the versions of the files, by which a [table that sqlx's users share](SQLX_HISTORY_TABLE) is recognized.
    fn applied<'a>(&'a self, versions: &'a [i64]) -> Migrating<'a, Vec<AppliedMigration>>;

    /// Applies the migrations that the database lacks, in order, up to the first [data
    /// migration](MigrationFile::data_migration) among them.
    ///
    /// # Errors
    /// [`MigrateError::Failed`] with the first migration that fails; those before it stay applied.
    /// [`MigrateError::Ahead`] and [`MigrateError::Changed`] when an applied migration is missing or has another
    /// checksum; [`MigrateError::OutOfOrder`] when a migration is applied that is newer than a pending one.
    fn apply<'a>(&'a self, migrations: &'a [MigrationFile]) -> Migrating<'a, ()>;

    /// Number of records in a table, or of those with a value in a column; `None` for a table or column that is
    /// missing.
    fn records<'a>(&'a self, table: &'a str, column: Option<&'a str>) -> Migrating<'a, Option<u64>>;

    /// Reverts an applied migration by the statements of its `….down.sql`.
    ///
    /// # Errors
    /// Errors of [`apply`](Self::apply).
    fn revert<'a>(&'a self, down: &'a MigrationFile) -> Migrating<'a, ()>;

    /// Records that a data migration begins, and resets its progress, unless it has begun before. Returns whether it is
    /// to run: `false` where another process has applied or reverted it meanwhile.
    ///
    /// # Errors
    /// [`MigrateError::Interrupted`] while it runs in the other direction; [`MigrateError::OutOfOrder`].
    fn begin_data<'a>(&'a self, file: &'a MigrationFile, direction: Direction) -> Migrating<'a, bool>;

    /// Records that a data migration, which began at `start`, has ended.
    ///
    /// # Errors
    /// [`MigrateError::Interrupted`] when it has not begun in this direction.
    fn end_data<'a>(&'a self, file: &'a MigrationFile, direction: Direction, start: Instant) -> Migrating<'a, ()>;
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
    /// The version, such as 20261121181559, which both files of a migration have.
    pub version: i64,
    /// The file's name, such as `20261121181559_create_books.up.sql`.
    pub name: String,
    /// Description of the migration, in the words of the file's name.
    pub description: String,
    /// The statements.
    pub sql: String,
    /// The hash of the statements, SHA-384.
    pub checksum: Vec<u8>,
    /// Whether the statements run in a transaction; `false` where the file begins with `-- no-transaction`.
    pub in_transaction: bool,
    /// The name of the data migration that the program runs in place of the statements, where the file begins with
    /// `-- data-migration NAME`.
    pub data_migration: Option<String>,
}

impl MigrationFile {
    /// A file whose statements run in a transaction.
    pub const fn new(version: i64, name: String, description: String, sql: String, checksum: Vec<u8>) -> Self {
        Self { version, name, description, sql, checksum, in_transaction: true, data_migration: None }
    }

    /// Whether it reverts a migration.
    pub fn is_down(&self) -> bool {
        self.name.ends_with(".down.sql")
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
    /// The statements that revert the change.
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

/// The kind of a [`Step`]. [`Concurrent`](Self::Concurrent) and the kinds after it change tables while others use them,
/// and come last in a script. Each [`Concurrent`](Self::Concurrent) and [`Fill`](Self::Fill) step has a file for
/// itself, and each later kind a separate transaction.
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
    /// Drops a full-text index that no struct asks for. Where no file of the directory has created it, it may be
    /// another program's, and the step becomes a proposal.
    Unneeded,
    /// Creates an index while others use the table, with a statement that runs in no transaction.
    Concurrent,
    /// Fills in the values of records in batches, each a transaction, with a statement that runs in no transaction.
    Fill,
    /// Adds a constraint that needs a concurrently created index, or filled-in values.
    Constrain,
    /// Checks existing records against a constraint, while others use the table.
    Validate,
    /// Changes the table after its records were checked.
    Finish,
}

/// An applied migration, as the database records it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AppliedMigration {
    /// The migration's version.
    pub version: i64,
    /// The hash of the migration's statements when it was applied.
    pub checksum: Vec<u8>,
    /// Whether all of the migration's statements ran.
    pub complete: bool,
    /// The shards that lack the migration, where others have it.
    pub lacking: Vec<String>,
}

impl AppliedMigration {
    /// A migration as the database records it.
    pub const fn new(version: i64, checksum: Vec<u8>, complete: bool) -> Self {
        Self { version, checksum, complete, lacking: Vec::new() }
    }
}
