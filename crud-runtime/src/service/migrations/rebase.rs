//! Moving the files of a branch behind those that came with a merge.

use std::fs;
use std::path::{Path, PathBuf};

use super::directory::{Directory, unusable};
use super::sums::{self, Sums};
use super::verify::empty_database;
use super::{ServiceMigrations, apply, compose};
use crate::model::descriptor::Descriptor;
use crate::storage::error::Result;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::Migrations;

/// The files that a rebase replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rebased {
    /// The names of those that are gone.
    pub removed: Vec<String>,
    /// The names of those that are there instead, behind all others.
    pub written: Vec<String>,
}

impl ServiceMigrations<'_> {
    /// Puts the migrations of these files, of which one each is enough, behind all others of the directory, and writes the
    /// sums anew. One that is as [`write`](Self::write) wrote it is written anew, from the tables that the
    /// other files make on the empty database of a URL; one that was edited keeps its statements and gets a new version.
    ///
    /// # Errors
    /// [`MigrateError::Directory`] when a file is not there, is applied to the service's database, or was edited and cannot
    /// follow the others; those of [`verify`](Self::verify).
    pub async fn rebase(
        self,
        directory: impl AsRef<Path>,
        files: &[impl AsRef<str> + Sync],
        shadow: &str,
    ) -> Result<Rebased> {
        self.0.check()?;
        let path = directory.as_ref();
        let directory = Directory::read(path).await?;
        let versions = files.iter().map(|file| version(&directory, file.as_ref())).collect::<Result<Vec<_>, _>>()?;
        let status = directory.status(self.0.storage()?).await?;
        if let Some(applied) = status.iter().find(|one| versions.contains(&one.version) && one.state.is_applied()) {
            let reason = format!("`{}` is applied to this database: `crud migrate revert` it first", applied.name);
            return Err(unusable(path, &reason).into());
        }
        let moved = Moved::of(&directory, &versions)?;

        // The directory as it will be.
        let draft = Draft::new(path)?;
        for file in directory.files().iter().filter(|file| !versions.contains(&file.version)) {
            draft.copy(path, &file.name, &file.name)?;
        }
        for (old, new) in &moved.renamed {
            draft.copy(path, old, new)?;
        }
        let tables = self.0.described_tables()?;
        let shadow = empty_database(shadow, &tables).await?;
        let program = self.0.database_to_migrate(shadow.clone(), &*shadow)?;
        let replayed = Directory::read(&draft.0).await?;
        let applied = apply::apply(&replayed, &program).await;
        applied.map_err(|error| refused(path, &moved.renamed, error))?;
        let anew = if moved.has_generated {
            let sizes = sizes(self.0.storage()?, &tables).await?;
            compose::files(&replayed, program.storage, &tables, Some(&sizes)).await?
        } else {
            Vec::new()
        };
        // Not the version of a file that is removed below.
        let next = i64::max(replayed.next_version(), directory.next_version());
        let anew = replayed.write(&anew, next)?.into_iter().flat_map(|file| [file.down, file.up]);
        let anew: Vec<String> =
            anew.filter_map(|file| Some(file.file_name()?.to_string_lossy().into_owned())).collect();

        let written: Vec<String> = moved.renamed.iter().map(|(_, new)| new).chain(&anew).cloned().collect();
        for name in &written {
            fs::copy(draft.0.join(name), path.join(name)).map_err(|error| unusable(path, &error))?;
        }
        for name in &moved.names {
            fs::remove_file(path.join(name)).map_err(|error| unusable(path, &error))?;
        }
        Sums::write(path, &anew)?;
        Ok(Rebased { removed: moved.names, written })
    }
}

/// Numbers of records of the tables that the service's database has: those of the empty one say nothing.
async fn sizes(
    storage: &dyn Migrations,
    tables: &[&'static Descriptor],
) -> Result<Vec<(&'static str, u64)>, MigrateError> {
    let mut sizes = Vec::new();
    for table in tables.iter().filter(|table| table.view.is_none()) {
        let records = storage.records(table.table, None).await?;
        sizes.extend(records.map(|records| (table.table, records)));
    }
    Ok(sizes)
}

/// The files that a rebase moves.
struct Moved {
    /// Their names.
    names: Vec<String>,
    /// The old and the new names of those that keep their statements.
    renamed: Vec<(String, String)>,
    /// Whether some are written anew.
    has_generated: bool,
}

impl Moved {
    fn of(directory: &Directory, versions: &[i64]) -> Result<Self, MigrateError> {
        let path = directory.path();
        let sums = Sums::read(path)?.unwrap_or_default();
        let is_generated =
            |name: &str| fs::read_to_string(path.join(name)).is_ok_and(|text| sums.is_generated(name, &text));
        let mut moved = Self { names: Vec::new(), renamed: Vec::new(), has_generated: false };
        let mut next = directory.next_version();
        // Files are sorted by version.
        for version in directory.files().iter().map(|file| file.version).filter(|version| versions.contains(version)) {
            let files = directory.files().iter().filter(|file| file.version == version);
            let names = files.map(|file| file.name.clone());
            let names: Vec<String> = names.filter(|name| !moved.names.contains(name)).collect();
            if names.is_empty() {
                continue;
            }
            if names.iter().all(|name| is_generated(name)) {
                moved.has_generated = true;
            } else {
                let renamed = |name: &String| name.replacen(&version.to_string(), &next.to_string(), 1);
                moved.renamed.extend(names.iter().map(|name| (name.clone(), renamed(name))));
                next += 1;
            }
            moved.names.extend(names);
        }
        Ok(moved)
    }
}

/// The version of the migration that a file, a path or a version names.
fn version(directory: &Directory, named: &str) -> Result<i64, MigrateError> {
    let name = Path::new(named).file_name().map_or(named.into(), |name| name.to_string_lossy());
    let version = sums::version(&name).filter(|version| directory.files().iter().any(|file| file.version == *version));
    version.ok_or_else(|| unusable(directory.path(), &format!("there is no `{named}`")))
}

/// The error of a file that was edited and fails behind the others, by the name that it has.
fn refused(path: &Path, renamed: &[(String, String)], error: MigrateError) -> MigrateError {
    let MigrateError::Failed { name, reason } = error else { return error };
    let Some((old, _)) = renamed.iter().find(|(_, new)| *new == name) else {
        return MigrateError::Failed { name, reason };
    };
    let reason = format!(
        "`{old}` was edited, so that it is not written anew, and it fails behind the others: {reason}. Delete its files, and \
         write the change again by `crud migrate diff`"
    );
    unusable(path, &reason)
}

/// A directory beside the one of the migrations, removed when dropped.
struct Draft(PathBuf);

impl Draft {
    fn new(directory: &Path) -> Result<Self, MigrateError> {
        let draft = std::env::temp_dir().join(format!("crud-rebase-{}", uuid::Uuid::now_v7().simple()));
        fs::create_dir_all(&draft).map_err(|error| unusable(directory, &error))?;
        Ok(Self(draft))
    }

    fn copy(&self, from: &Path, old: &str, new: &str) -> Result<(), MigrateError> {
        fs::copy(from.join(old), self.0.join(new)).map(drop).map_err(|error| unusable(from, &error))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // A directory for temporary files is emptied by the system.
        fs::remove_dir_all(&self.0).ok();
    }
}
