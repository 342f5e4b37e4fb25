//! A directory of migrations and the edits of its files.

use std::fs;
use std::path::{Path, PathBuf};

use crud_runtime::migrations::Written;
use crud_runtime::{Result, Service};
use crud_tests::Backend;
use tempfile::TempDir;

/// A directory for migrations, which does not exist yet.
#[derive(Debug)]
pub(crate) struct Directory(TempDir);

impl Directory {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("migrations")
    }

    /// The names of the migrations, in order.
    pub(crate) fn files(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path()) else { return Vec::new() };
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".sql")).collect();
        names.sort();
        names
    }

    /// Writes a hand-made migration, whose hash is accepted.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path()).expect("the directory");
        fs::write(self.path().join(name), text).expect("the file");
        hash(&self.path());
    }

    /// Removes a migration.
    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.path().join(name)).expect("the file is removed");
        hash(&self.path());
    }

    /// Writes the migration that a service needs; panics if it needs none.
    pub(crate) async fn write_migration(&self, service: &Service) -> Files {
        let written = service.write_migration(self.path()).await.expect("a migration can be written");
        Files(written.expect("a migration is needed"))
    }

    /// Applies the pending migrations; returns their number.
    pub(crate) async fn apply(&self, service: &Service) -> usize {
        service.apply_migrations(self.path()).await.expect("the migrations can be applied").len()
    }

    /// Reverts the last migration.
    pub(crate) async fn revert(&self, service: &Service) {
        let reverted = service.revert_migration(self.path()).await.expect("the migration can be reverted");
        assert!(reverted.expect("a migration was applied").ends_with(".down.sql"));
    }
}

/// The two files of a migration.
#[derive(Debug)]
pub(crate) struct Files(Written);

impl Files {
    pub(crate) fn up(&self) -> String {
        read(&self.0.up)
    }

    pub(crate) fn down(&self) -> String {
        read(&self.0.down)
    }

    /// Applies a reviewer's edit to the up file.
    pub(crate) fn review_up(&self, edit: impl FnOnce(&str) -> String) {
        self.edit(&self.0.up, edit(&self.up()));
    }

    /// Applies a reviewer's edit to the down file.
    pub(crate) fn review_down(&self, edit: impl FnOnce(&str) -> String) {
        self.edit(&self.0.down, edit(&self.down()));
    }

    fn edit(&self, file: &Path, text: String) {
        fs::write(file, text).expect("the file");
        hash(file.parent().expect("a directory"));
    }

    /// Applies a reviewer's edit to each line of both files.
    pub(crate) fn review(&self, edit: impl Fn(&str) -> String) {
        for file in [&self.0.up, &self.0.down] {
            // Without what says for which up file the down file was written: both are reviewed.
            let text = read(file);
            let lines = text.lines().filter(|line| !line.starts_with("-- For an up file"));
            let lines: Vec<String> = lines.map(&edit).collect();
            self.edit(file, lines.join("\n") + "\n");
        }
    }
}

/// Accepts edits.
fn hash(directory: &Path) {
    crud_runtime::migrations::hash(directory).expect("the hashes are written");
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the file")
}

/// The text of an error.
pub(crate) fn error_text<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("expected an error"),
        Err(error) => error.to_string(),
    }
}

/// Whether DDL is transactional, so that a failed migration leaves nothing behind.
pub(crate) fn has_transactional_ddl(backend: Backend) -> bool {
    backend != Backend::MySql
}
