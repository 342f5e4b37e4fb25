//! [`Migrations`]: storage whose tables change by written migrations.

use sqlx::migrate::{Migration, Migrator};

use super::adapter::BoxFuture;
use super::migrate_error::MigrateError;
use super::schema::Difference;
use crate::model::descriptor::Descriptor;

/// What an [`Adapter`](super::adapter::Adapter) has to do for migrations that are written as SQL, and applied in order.
pub trait Migrations: Send + Sync {
    /// How the database differs from what these resources need.
    fn diff<'a>(&'a self, resources: &'a [&'static Descriptor])
    -> BoxFuture<'a, Result<Vec<Difference>, MigrateError>>;

    /// The statements that make up for the differences.
    fn script<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Script, MigrateError>>;

    /// The migrations that the database has, in order. Nothing is created where it has none.
    fn applied(&self) -> BoxFuture<'_, Result<Vec<Applied>, MigrateError>>;

    /// Applies those that the database lacks.
    ///
    /// # Errors
    /// [`MigrateError::Failed`] with the first one that cannot be; those before it stand.
    fn apply<'a>(&'a self, migrator: &'a Migrator) -> BoxFuture<'a, Result<(), MigrateError>>;

    /// Takes back one that the database has, by its statements for that.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn revert<'a>(&'a self, down: &'a Migration) -> BoxFuture<'a, Result<(), MigrateError>>;
}

/// Statements that change tables, both ways.
#[derive(Debug, Clone)]
pub struct Script {
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// What stands before and after the steps where one of them cannot be in a transaction of somebody else's.
    pub frame: (&'static str, &'static str),
}

/// A change of one table.
#[derive(Debug, Clone)]
pub struct Step {
    /// The table.
    pub table: &'static str,
    /// The statements that make the change, each with its semicolon; a proposal is in comments.
    pub up: String,
    /// Those that take it back.
    pub down: String,
    /// What kind of change it is.
    pub kind: StepKind,
}

/// What kind of change a [`Step`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// Creates the table.
    Create,
    /// Changes the table.
    Alter,
    /// Writes the table anew, for which the script needs its frame.
    Rebuild,
    /// Changes nothing unless somebody says so, and nobody has to: it is written once.
    Proposal,
}

/// A migration that a database has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// Its version.
    pub version: i64,
    /// The hash of its text.
    pub checksum: Vec<u8>,
    /// Whether it came to its end.
    pub whole: bool,
}
