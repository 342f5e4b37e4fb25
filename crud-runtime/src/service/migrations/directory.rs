//! [`Directory`]: migrations as files, in sqlx's layout.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use chrono::Utc;
use sqlx::migrate::{Migration as File, MigrationType, Migrator};

use super::Written;
use super::status::{Migration, MigrationStatus, State};
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{MigrationFile, Migrations};

/// A directory, and the migrations in it.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
    migrator: Migrator,
}

impl Directory {
    /// Reads it; where there is none, there are no migrations.
    pub(super) async fn read(path: &Path) -> Result<Self, MigrateError> {
        let migrator = if path.exists() {
            Migrator::new(path).await.map_err(|error| unusable(path, &error))?
        } else {
            Migrator::with_migrations(Vec::new())
        };
        let files: Vec<&File> = migrator.iter().collect();
        // They come in order.
        if let Some(pair) = files.windows(2).find(|pair| is_same_place(pair[0], pair[1])) {
            let names = format!("`{}` and `{}` have the same version", file_name(pair[0]), file_name(pair[1]));
            return Err(unusable(path, &names));
        }
        Ok(Self { path: path.to_owned(), migrator })
    }

    /// The files that change a database, in order.
    pub(super) fn up_files(&self) -> Vec<MigrationFile> {
        self.ups().map(migration_file).collect()
    }

    /// Whether there are no migrations.
    pub(super) fn is_empty(&self) -> bool {
        self.migrator.iter().len() == 0
    }

    /// Whether one of the migrations has this text.
    pub(super) fn says(&self, text: &str) -> bool {
        self.migrator.iter().any(|file| file.sql.as_str().contains(text))
    }

    /// How a database stands to it.
    pub(super) async fn status(&self, storage: &dyn Migrations) -> Result<MigrationStatus, MigrateError> {
        let applied = storage.applied().await?;
        let mut all: Vec<Migration> = self
            .ups()
            .map(|file| {
                let state = match applied.iter().find(|one| one.version == file.version) {
                    None => State::Pending,
                    Some(one) if !one.complete => State::Interrupted,
                    Some(one) if one.checksum != *file.checksum => State::Changed,
                    Some(_) => State::Applied,
                };
                Migration { version: file.version, name: file_name(file), state }
            })
            .collect();
        for one in applied.iter().filter(|one| !self.ups().any(|file| file.version == one.version)) {
            let state = if one.complete { State::Ahead } else { State::Interrupted };
            all.push(Migration { version: one.version, name: one.version.to_string(), state });
        }
        all.sort_by_key(|one| one.version);
        Ok(MigrationStatus(all))
    }

    fn ups(&self) -> impl Iterator<Item = &File> {
        self.migrator.iter().filter(|file| file.migration_type.is_up_migration())
    }

    /// What takes the last migration back that the database has.
    pub(super) fn last_applied(&self, status: &MigrationStatus) -> Result<Option<&File>, MigrateError> {
        let Some(last) = status.iter().filter(|one| one.state != State::Pending).last() else { return Ok(None) };
        match last.state {
            State::Ahead => return Err(MigrateError::Ahead(vec![last.name.clone()])),
            State::Interrupted => return Err(MigrateError::Interrupted(last.name.clone())),
            _ => {}
        }
        let is_down = |file: &&File| file.version == last.version && file.migration_type.is_down_migration();
        let down = self.migrator.iter().find(is_down);
        down.map(Some).ok_or_else(|| unusable(&self.path, &format!("there is no `….down.sql` to `{}`", last.name)))
    }

    /// An error of the migrator's, with the name of an up or down file in place of the version.
    pub(super) fn name(&self, error: MigrateError, up: bool) -> MigrateError {
        let named = |version: &str| {
            let is = |file: &&File| file.version.to_string() == version && file.migration_type.is_up_migration() == up;
            self.migrator.iter().find(is).map_or_else(|| version.to_owned(), file_name)
        };
        let all = |versions: Vec<String>| versions.iter().map(|version| named(version)).collect();
        match error {
            MigrateError::Failed { name, reason } => MigrateError::Failed { name: named(&name), reason },
            MigrateError::Interrupted(name) => MigrateError::Interrupted(named(&name)),
            MigrateError::Changed(names) => MigrateError::Changed(all(names)),
            other => other,
        }
    }

    /// Writes a migration that comes after all others.
    pub(super) fn write(&self, description: &str, up: &str, down: &str) -> Result<Written, MigrateError> {
        let last = self.migrator.iter().map(|file| file.version).max().unwrap_or_default();
        let now = Utc::now().format("%Y%m%d%H%M%S").to_string().parse().unwrap_or_default();
        let version = i64::max(now, last + 1);
        let file = |suffix: &str| self.path.join(format!("{version}_{description}{suffix}"));
        let up_file = file(MigrationType::ReversibleUp.suffix());
        let down_file = file(MigrationType::ReversibleDown.suffix());
        let written = fs::create_dir_all(&self.path)
            .and_then(|()| create(&down_file, down))
            // The one that counts comes last: what is not whole is not applied.
            .and_then(|()| create(&up_file, up));
        match written {
            Ok(()) => Ok(Written { up: up_file, down: down_file }),
            Err(error) => Err(unusable(&self.path, &error)),
        }
    }
}

fn create(path: &Path, text: &str) -> std::io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}

fn is_same_place(one: &File, other: &File) -> bool {
    one.version == other.version && one.migration_type.is_down_migration() == other.migration_type.is_down_migration()
}

/// The file as storage takes it.
pub(super) fn migration_file(file: &File) -> MigrationFile {
    MigrationFile {
        version: file.version,
        description: file.description.clone().into_owned(),
        sql: file.sql.as_str().to_owned(),
        checksum: file.checksum.to_vec(),
        in_transaction: !file.no_tx,
    }
}

/// The name of a migration's file.
pub(super) fn file_name(file: &File) -> String {
    format!("{}_{}{}", file.version, file.description.replace(' ', "_"), file.migration_type.suffix())
}

fn unusable(path: &Path, reason: &dyn std::fmt::Display) -> MigrateError {
    MigrateError::Directory { directory: path.to_owned(), reason: reason.to_string() }
}
