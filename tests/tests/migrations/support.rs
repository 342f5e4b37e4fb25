//! A directory of migrations, and what is done to the files.

use std::fs;
use std::path::{Path, PathBuf};

use crud_runtime::migrations::Written;
use crud_runtime::{Result, Service};
use crud_tests::Backend;
use tempfile::TempDir;

/// A directory for migrations, which is not there yet.
#[derive(Debug)]
pub(crate) struct Directory(TempDir);

impl Directory {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("migrations")
    }

    /// The names of the files, in order.
    pub(crate) fn files(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path()) else { return Vec::new() };
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// Writes a migration of the reader's own.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path()).expect("the directory");
        fs::write(self.path().join(name), text).expect("the file");
    }

    /// Writes the migration that a service needs.
    pub(crate) async fn written(&self, service: &Service) -> Files {
        let written = service.write_migration(self.path()).await.expect("a migration can be written");
        Files(written.expect("there is something to do"))
    }

    /// Applies what is pending; how many.
    pub(crate) async fn apply(&self, service: &Service) -> usize {
        service.apply_migrations(self.path()).await.expect("the migrations can be applied").len()
    }

    /// Takes the last one back.
    pub(crate) async fn revert(&self, service: &Service) {
        let reverted = service.revert_migration(self.path()).await.expect("the migration can be taken back");
        assert!(reverted.expect("there is one").ends_with(".down.sql"));
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

    /// Does what a reader does with each line of both files.
    pub(crate) fn review(&self, edit: impl Fn(&str) -> String) {
        for file in [&self.0.up, &self.0.down] {
            let lines: Vec<String> = read(file).lines().map(&edit).collect();
            fs::write(file, lines.join("\n") + "\n").expect("the file");
        }
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the file")
}

/// The sentence of an error.
pub(crate) fn refusal<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("it should have been refused"),
        Err(error) => error.to_string(),
    }
}

/// Whether the definition of tables can be taken back, so that a migration which fails leaves nothing behind.
pub(crate) fn keeps_nothing_of_what_fails(backend: Backend) -> bool {
    backend != Backend::MySql
}
