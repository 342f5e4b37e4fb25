//! [`MigrationStatus`]: how a database stands to a directory of migrations.

use std::fmt;

use crate::storage::migrate_error::MigrateError;

/// The migrations of a directory and of a database, in order. As text, a line for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationStatus(pub(super) Vec<Migration>);

/// A migration, and what has become of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Migration {
    /// Its version, such as 20261121181559: the time at which it was written, in UTC.
    pub version: i64,
    /// The file's name; the version where there is no file.
    pub name: String,
    /// What has become of it.
    pub state: ServiceState,
}

/// What has become of a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServiceState {
    /// The database has it.
    Applied,
    /// The database lacks it.
    Pending,
    /// The database has it, and the file was changed since.
    Changed,
    /// The database has it, and the directory does not.
    Ahead,
    /// The database has a part of it: it failed on one that cannot take that back by itself.
    Interrupted,
}

impl MigrationStatus {
    /// Each migration.
    pub fn iter(&self) -> impl Iterator<Item = &Migration> {
        self.0.iter()
    }

    /// The names of those that the database lacks.
    pub fn pending(&self) -> impl Iterator<Item = &str> {
        self.iter().filter(|one| one.state == ServiceState::Pending).map(|one| one.name.as_str())
    }

    /// Whether the database has exactly the migrations of the directory.
    ///
    /// # Errors
    /// [`MigrateError::Interrupted`], [`Changed`](MigrateError::Changed), [`Ahead`](MigrateError::Ahead) and
    /// [`Behind`](MigrateError::Behind), the first that is so.
    pub fn check(&self) -> Result<(), MigrateError> {
        let with = |state| {
            let names: Vec<String> =
                self.0.iter().filter(|one| one.state == state).map(|one| one.name.clone()).collect();
            if names.is_empty() { None } else { Some(names) }
        };
        if let Some(mut names) = with(ServiceState::Interrupted) {
            return Err(MigrateError::Interrupted(names.swap_remove(0)));
        }
        let error = with(ServiceState::Changed).map(MigrateError::Changed);
        let error = error.or_else(|| with(ServiceState::Ahead).map(MigrateError::Ahead));
        match error.or_else(|| with(ServiceState::Pending).map(MigrateError::Behind)) {
            Some(error) => Err(error),
            None => Ok(()),
        }
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
        write!(f, "{:<11}  {}", self.state.as_str(), self.name)
    }
}

impl ServiceState {
    /// As it is printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Pending => "pending",
            Self::Changed => "changed",
            Self::Ahead => "ahead",
            Self::Interrupted => "interrupted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(states: &[ServiceState]) -> String {
        let migration = |(index, state): (usize, &ServiceState)| {
            let version = i64::try_from(index).unwrap_or_default() + 1;
            Migration { version, name: format!("{version}_a.up.sql"), state: *state }
        };
        let status = MigrationStatus(states.iter().enumerate().map(migration).collect());
        status.check().map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn what_is_wrong_is_one_sentence() {
        use ServiceState::{Ahead, Applied, Changed, Interrupted, Pending};
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
        assert!(error(&[Changed, Ahead]).starts_with("`1_a.up.sql` has been changed after it was applied"));
        assert!(error(&[Changed, Interrupted]).starts_with("`2_a.up.sql` was applied in part"));
    }
}
