//! [`Directory`]: the files of migrations, in sqlx's layout.

use std::fmt::Display;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use chrono::Utc;
use sqlx::migrate::{Migration as SqlxFile, MigrationType, Migrator};
use xxhash_rust::xxh3::xxh3_64;

use super::data_file::{check_name, named};
use super::status::{Migration, MigrationState, MigrationStatus};
use super::sums::Sums;
use super::text::{self, Files};
use crate::storage::adapter::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{MigrationFile, Migrations};

/// The files of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrittenChange {
    /// The file that changes the database.
    pub up: PathBuf,
    /// The file that reverts it.
    pub down: PathBuf,
}

/// A directory and its migrations.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
    files: Vec<MigrationFile>,
}

impl Directory {
    /// Reads a directory; a missing one has no migrations.
    pub(super) async fn read(path: &Path) -> Result<Self, MigrateError> {
        let mut files: Vec<MigrationFile> = Vec::new();
        if path.exists() {
            let migrator = Migrator::new(path).await.map_err(|error| unusable(path, &error))?;
            files.extend(migrator.iter().map(migration_file));
        }
        // Files are sorted by version.
        if let Some(pair) = files.windows(2).find(|pair| is_duplicate(&pair[0], &pair[1])) {
            let (one, other) = (&pair[0].name, &pair[1].name);
            let names = format!(
                "`{one}` and `{other}` have the same version: give the files of one a later one, and `crud migrate hash`"
            );
            return Err(unusable(path, &names));
        }
        let directory = Self { path: path.to_owned(), files };
        directory.check_data_files()?;
        Ok(directory)
    }

    /// Checks that each data migration is named once.
    fn check_data_files(&self) -> Result<(), MigrateError> {
        let named: Vec<(&MigrationFile, &str)> = self.data_files().collect();
        for (index, (file, name)) in named.iter().enumerate() {
            check_name(name).map_err(|reason| unusable(&self.path, &format!("`{}`: {reason}", file.name)))?;
            if let Some((other, _)) = named[..index].iter().find(|(_, other)| other == name) {
                let (file, other) = (&file.name, &other.name);
                return Err(unusable(&self.path, &format!("`{other}` and `{file}` name one data migration, `{name}`")));
            }
        }
        Ok(())
    }

    /// The files that name data migrations, in order, with the names.
    pub(super) fn data_files(&self) -> impl Iterator<Item = (&MigrationFile, &str)> {
        self.ups().filter_map(|file| Some((file, file.data_migration.as_deref()?)))
    }

    /// The file that names a data migration.
    pub(super) fn data_file(&self, name: &str) -> Option<&MigrationFile> {
        self.data_files().find(|(_, named)| *named == name).map(|(file, _)| file)
    }

    /// Whether the migration of a version is a data migration.
    pub(super) fn is_data(&self, version: i64) -> bool {
        self.data_files().any(|(file, _)| file.version == version)
    }

    /// The files that change a database, in order.
    pub(super) fn up_files(&self) -> Vec<MigrationFile> {
        self.ups().cloned().collect()
    }

    /// The directory.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// All files, in order.
    pub(super) fn files(&self) -> &[MigrationFile] {
        &self.files
    }

    /// Whether there are no migrations.
    pub(super) const fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether a migration contains this text.
    pub(super) fn contains(&self, text: &str) -> bool {
        self.files.iter().any(|file| file.sql.contains(text))
    }

    /// Whether a statement of a migration has this text, and not that which creates the tables as they were.
    pub(super) fn has_made(&self, text: &str) -> bool {
        let files = self.ups().filter(|file| file.description != text::BASELINE);
        files.flat_map(|file| file.sql.lines()).any(|line| !line.starts_with("--") && line.contains(text))
    }

    /// Whether a migration creates this table.
    pub(super) fn creates(&self, table: &str) -> bool {
        let starts = ["CREATE TABLE ", "CREATE TABLE IF NOT EXISTS "];
        let names = [format!("\"{table}\""), format!("`{table}`"), format!("{table} ("), format!("{table}(")];
        starts.iter().any(|start| names.iter().any(|name| self.contains(&format!("{start}{name}"))))
    }

    /// The states of the migrations in a database.
    pub(super) fn status<'a>(
        &'a self,
        storage: &'a dyn Migrations,
    ) -> BoxFuture<'a, Result<MigrationStatus, MigrateError>> {
        Box::pin(async move {
            let versions: Vec<i64> = self.ups().map(|file| file.version).collect();
            let applied = storage.applied(&versions).await?;
            let newest = applied.iter().map(|one| one.version).max();
            let mut all: Vec<Migration> = self
                .ups()
                .map(|file| {
                    let recorded = applied.iter().find(|one| one.version == file.version);
                    let state = match recorded {
                        None if newest.is_some_and(|newest| file.version < newest) => MigrationState::OutOfOrder,
                        None => MigrationState::Pending,
                        Some(one) if !one.complete => MigrationState::Interrupted,
                        Some(one) if one.checksum != file.checksum => MigrationState::Changed,
                        Some(_) => MigrationState::Applied,
                    };
                    let lacking = recorded.map_or_else(Vec::new, |one| one.lacking.clone());
                    Migration { lacking, ..Migration::new(file.version, file.name.clone(), state) }
                })
                .collect();
            for one in applied.iter().filter(|one| !self.ups().any(|file| file.version == one.version)) {
                let state = if one.complete { MigrationState::Ahead } else { MigrationState::Interrupted };
                all.push(Migration::new(one.version, one.version.to_string(), state));
            }
            all.sort_by_key(|one| one.version);
            Ok(MigrationStatus(all))
        })
    }

    fn ups(&self) -> impl Iterator<Item = &MigrationFile> {
        self.files.iter().filter(|file| !file.is_down())
    }

    /// The file by which the last applied migration is reverted, if one is applied: a down file, or that which names a data
    /// migration.
    pub(super) fn way_back(&self, status: &MigrationStatus) -> Result<Option<&MigrationFile>, MigrateError> {
        let Some(last) = status.iter().filter(|one| one.state.is_applied()).last() else { return Ok(None) };
        if last.state == MigrationState::Ahead {
            return Err(MigrateError::Ahead(vec![last.name.clone()]));
        }
        let down = self.files.iter().find(|file| file.version == last.version && file.is_down());
        let data = self.data_files().map(|(file, _)| file).find(|file| file.version == last.version);
        let back = down.or(data);
        let back = back.ok_or_else(|| unusable(&self.path, &format!("there is no `….down.sql` to `{}`", last.name)))?;
        match self.staleness(back) {
            Some(reason) => Err(unusable(&self.path, &reason)),
            None => Ok(Some(back)),
        }
    }

    /// The down files that were written for other up files, each with the reason to refuse it.
    pub(super) fn stale_downs(&self) -> Vec<String> {
        let downs = self.files.iter().filter(|file| file.is_down());
        downs.filter_map(|down| self.staleness(down)).collect()
    }

    /// The reason to refuse a down file, if its up file was edited after it was written.
    fn staleness(&self, down: &MigrationFile) -> Option<String> {
        let up = self.ups().find(|file| file.version == down.version)?;
        let written = down.sql.lines().find_map(|line| line.strip_prefix(WRITTEN_FOR))?.trim();
        let hash = hash(&up.sql);
        (written != hash).then(|| {
            format!(
                "`{}` was edited after `{}` was written: review that too, and write into its first lines \
                 `{WRITTEN_FOR}{hash}`",
                up.name, down.name
            )
        })
    }

    /// Writes migrations, in order, with the versions from `next` on, and the sums of the directory.
    pub(super) fn write(&self, files: &[Files], next: i64) -> Result<Vec<WrittenChange>, MigrateError> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        Sums::check(&self.path)?;
        let written: Result<Vec<_>, _> =
            (next..).zip(files).map(|(version, files)| self.write_one(version, files)).collect();
        let written = written?;
        let names = written.iter().flat_map(|one| [&one.up, &one.down]).filter_map(|file| file.file_name());
        let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        Sums::write(&self.path, &names)?;
        Ok(written)
    }

    /// Writes a migration without statements behind all others; its hash is written by the author who adds them.
    pub(super) fn write_empty(&self, description: &str) -> Result<WrittenChange, MigrateError> {
        Sums::check(&self.path)?;
        self.write_one(self.next_version(), &text::empty(description))
    }

    /// Writes a file without a way back behind all others, and the sums of the directory.
    pub(super) fn write_simple(&self, description: &str, text: &str) -> Result<PathBuf, MigrateError> {
        Sums::check(&self.path)?;
        let name = format!("{}_{description}{}", self.next_version(), MigrationType::Simple.suffix());
        let file = self.path.join(name);
        self.create(&[(&file, text)])?;
        Sums::write(&self.path, &[])?;
        Ok(file)
    }

    /// The version of the next file: the time, or the successor of the newest.
    pub(super) fn next_version(&self) -> i64 {
        let newest = self.files.iter().map(|file| file.version).max().unwrap_or_default();
        let now = Utc::now().format("%Y%m%d%H%M%S").to_string().parse().unwrap_or_default();
        i64::max(now, newest + 1)
    }

    fn write_one(&self, version: i64, Files { description, up, down }: &Files) -> Result<WrittenChange, MigrateError> {
        let file = |suffix: &str| self.path.join(format!("{version}_{description}{suffix}"));
        let (up_suffix, down_suffix) = (MigrationType::ReversibleUp.suffix(), MigrationType::ReversibleDown.suffix());
        let written = WrittenChange { up: file(up_suffix), down: file(down_suffix) };
        let down = down.replacen(text::REVERTS, &format!("{}\n{WRITTEN_FOR}{}", text::REVERTS, hash(up)), 1);
        // The up file comes last: without it, the migration does not exist yet.
        self.create(&[(&written.down, &down), (&written.up, up)])?;
        Ok(written)
    }

    /// Creates files with these texts, and the directory where it is missing.
    fn create(&self, files: &[(&Path, &str)]) -> Result<(), MigrateError> {
        let create = |(path, text): &(&Path, &str)| {
            OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
        };
        let created = fs::create_dir_all(&self.path).and_then(|()| files.iter().try_for_each(create));
        created.map_err(|error| unusable(&self.path, &error))
    }
}

/// Begin of the line of a down file that names the hash of its up file.
const WRITTEN_FOR: &str = "-- For an up file of the hash ";

/// Hash of an up file with the line ends of a checkout on Unix.
fn hash(sql: &str) -> String {
    format!("{:016x}", xxh3_64(sql.replace("\r\n", "\n").as_bytes()))
}

fn is_duplicate(one: &MigrationFile, other: &MigrationFile) -> bool {
    one.version == other.version && one.is_down() == other.is_down()
}

/// The file as storage takes it.
fn migration_file(file: &SqlxFile) -> MigrationFile {
    let (description, sql) = (file.description.clone().into_owned(), file.sql.as_str().to_owned());
    let name = format!("{}_{}{}", file.version, description.replace(' ', "_"), file.migration_type.suffix());
    let mut migration = MigrationFile::new(file.version, name, description, sql, file.checksum.to_vec());
    migration.in_transaction = !file.no_tx;
    migration.data_migration = named(&migration.sql).map(str::to_owned);
    migration
}

/// [`MigrateError::Directory`] for a reason.
pub(super) fn unusable(path: &Path, reason: &dyn Display) -> MigrateError {
    MigrateError::Directory { directory: path.to_owned(), reason: reason.to_string() }
}
