//! [`MigrationStatus`]: the states of a directory's migrations in a database.

use std::fmt;

use crate::storage::migrate_error::MigrateError;
use crate::store::data_migration::MigrationProgress;

/// The migrations of a directory and of a database, in order. Displayed as one line each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationStatus(pub(super) Vec<Migration>);

/// A migration and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Migration {
    /// The version, such as 20261121181559: when it was written, in UTC.
    pub version: i64,
    /// The file's name, or the version if there is no file.
    pub name: String,
    /// The state in the database.
    pub state: MigrationState,
    /// The progress of a data migration that is applied or reverted in part.
    pub progress: Option<MigrationProgress>,
    /// The shards that lack it, where others have it.
    pub lacking: Vec<String>,
}

impl Migration {
    pub(super) const fn new(version: i64, name: String, state: MigrationState) -> Self {
        Self { version, name, state, progress: None, lacking: Vec::new() }
    }

    /// Whether the directory lacks its file: a newer program has it.
    fn is_newer(&self) -> bool {
        self.name == self.version.to_string()
    }
}

/// The state of a migration in a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MigrationState {
    /// Applied.
    Applied,
    /// Not applied yet.
    Pending,
    /// Not applied, where a newer one is.
    OutOfOrder,
    /// Applied, and the file was changed since.
    Changed,
    /// Applied, and missing from the directory.
    Ahead,
    /// Applied in part: it failed, and the database could not roll it back, or it is a data migration that is not at its end.
    Interrupted,
}

impl MigrationStatus {
    /// The migrations, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Migration> {
        self.0.iter()
    }

    /// The names of the pending migrations.
    pub fn pending(&self) -> impl Iterator<Item = &str> {
        self.iter()
            .filter(|migration| migration.state == MigrationState::Pending)
            .map(|migration| migration.name.as_str())
    }

    /// Checks that every migration of the directory is applied, and no other.
    ///
    /// # Errors
    /// [`MigrateError::Lacking`], [`Interrupted`](MigrateError::Interrupted), [`Changed`](MigrateError::Changed), [`Ahead`](MigrateError::Ahead),
    /// [`OutOfOrder`](MigrateError::OutOfOrder) and [`Behind`](MigrateError::Behind): the first that applies, in this order.
    pub fn check(&self) -> Result<(), MigrateError> {
        // Migrations of a newer program, whole or in part, are judged by the tables.
        let state_of = |migration: &Migration| match migration.state {
            MigrationState::Interrupted if migration.is_newer() => MigrationState::Ahead,
            state => state,
        };
        let names_in = |state| {
            let migrations = self.0.iter().filter(|migration| state_of(migration) == state);
            let names: Vec<String> = migrations.map(|migration| migration.name.clone()).collect();
            if names.is_empty() { None } else { Some(names) }
        };
        let first_in = |state| names_in(state).map(|mut names| names.swap_remove(0));
        let behind = self.iter().find(|migration| !migration.lacking.is_empty()).cloned();
        let newest = self.iter().filter(|migration| migration.state.is_applied()).last();
        let out_of_order = first_in(MigrationState::OutOfOrder).zip(newest);
        let errors = [
            behind.map(|Migration { name, lacking: shards, .. }| MigrateError::Lacking { name, shards }),
            first_in(MigrationState::Interrupted).map(MigrateError::Interrupted),
            names_in(MigrationState::Changed).map(MigrateError::Changed),
            names_in(MigrationState::Ahead).map(MigrateError::Ahead),
            out_of_order.map(|(name, newest)| MigrateError::OutOfOrder { name, newest: newest.name.clone() }),
            names_in(MigrationState::Pending).map(MigrateError::Behind),
        ];
        errors.into_iter().flatten().next().map_or(Ok(()), Err)
    }
}

impl fmt::Display for MigrationStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(Migration::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl fmt::Display for Migration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<12}  {}", self.state.as_str(), self.name)?;
        if !self.lacking.is_empty() {
            write!(f, "  not in {}", self.lacking.join(", "))?;
        }
        self.progress.as_ref().map_or(Ok(()), |progress| write!(f, "  {progress}"))
    }
}

impl MigrationState {
    /// Whether the database has it, as a whole or in part.
    pub(super) const fn is_applied(self) -> bool {
        !matches!(self, Self::Pending | Self::OutOfOrder)
    }

    /// The state's name, such as `pending`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Pending => "pending",
            Self::OutOfOrder => "out of order",
            Self::Changed => "changed",
            Self::Ahead => "ahead",
            Self::Interrupted => "interrupted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(states: &[MigrationState]) -> String {
        let migration = |(index, state): (usize, &MigrationState)| {
            let version = i64::try_from(index).unwrap_or_default() + 1;
            Migration::new(version, format!("{version}_a.up.sql"), *state)
        };
        let status = MigrationStatus(states.iter().enumerate().map(migration).collect());
        status.check().map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn the_error_is_one_sentence_about_the_worst_state() {
        use MigrationState::{Ahead, Applied, Changed, Interrupted, OutOfOrder, Pending};
        assert_eq!(error(&[Applied, Applied]), "");
        assert_eq!(error(&[Applied, Pending]), "the database is behind: `2_a.up.sql` has not been applied");
        assert_eq!(
            error(&[Pending, Pending]),
            "the database is behind: `1_a.up.sql`, `2_a.up.sql` have not been applied"
        );
        assert_eq!(
            error(&[Ahead, Pending]),
            "the database is ahead: `1_a.up.sql` has been applied, and is not in the directory of migrations"
        );
        assert_eq!(
            error(&[OutOfOrder, Applied, Pending]),
            "`1_a.up.sql` is out of order: it is not applied, and the newer `2_a.up.sql` is. Where the first is your branch's, \
             `crud migrate rebase 1_a.up.sql` puts it behind all others; where it came with a merge, `crud migrate revert` \
             the newer one, and apply both"
        );
        assert!(error(&[Ahead, OutOfOrder, Applied]).starts_with("the database is ahead"));
        assert!(error(&[Changed, Ahead]).starts_with("`1_a.up.sql` has been changed after it was applied"));
        assert!(error(&[Changed, Interrupted]).starts_with("`2_a.up.sql` is applied or reverted in part"));
    }

    #[test]
    fn migration_of_a_newer_program_is_ahead_while_it_is_applied() {
        let newer = Migration::new(2, "2".to_owned(), MigrationState::Interrupted);
        let status = MigrationStatus(vec![Migration::new(1, "1_a.up.sql".to_owned(), MigrationState::Applied), newer]);
        let error = status.check().expect_err("it is not of the directory").to_string();
        assert!(error.starts_with("the database is ahead: `2` has been applied"), "{error}");
        assert!(status.to_string().ends_with("interrupted   2"), "{status}");
    }
}
