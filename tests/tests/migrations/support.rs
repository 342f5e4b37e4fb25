//! A directory of migrations and the edits of its files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crud_runtime::migrations::Written;
use crud_runtime::{Result, Service};
use crud_tests::Backend;
use tempfile::TempDir;

/// A directory for migrations, which does not exist yet.
#[derive(Debug)]
pub(crate) struct Directory {
    directory: TempDir,
    /// The names of files that go on with the change of the one before.
    further: Mutex<Vec<String>>,
}

impl Directory {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a directory"), further: Mutex::default() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("migrations")
    }

    /// The names of the migrations, in order.
    pub(crate) fn files(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path()) else { return Vec::new() };
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
        let mut names: Vec<String> = names.filter(|name| name != "crud.sum").collect();
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
        self.write_if_needed(service).await.expect("a migration is needed")
    }

    /// Writes the migration that a service needs, if it needs one.
    pub(crate) async fn write_if_needed(&self, service: &Service) -> Option<Files> {
        let written = service.migrations().write(self.path()).await.expect("a migration can be written");
        let files = Files(written?);
        let further = files.0.changes.iter().skip(1).flat_map(|change| [&change.up, &change.down]);
        let names = further.map(|file| file.file_name().expect("a name").to_string_lossy().into_owned());
        self.further.lock().expect("the names").extend(names);
        Some(files)
    }

    /// Applies the pending migrations; returns their number, that of a change of several files being one.
    pub(crate) async fn apply(&self, service: &Service) -> usize {
        let applied = service.migrations().apply(self.path()).await.expect("the migrations can be applied");
        applied.iter().filter(|name| !self.is_further(name)).count()
    }

    /// Reverts the last migration, all files of its change.
    pub(crate) async fn revert(&self, service: &Service) {
        self.try_revert(service).await.expect("the migration can be reverted");
    }

    /// Reverts the last migration, all files of its change.
    ///
    /// # Errors
    /// That of the first file that cannot be reverted.
    pub(crate) async fn try_revert(&self, service: &Service) -> Result<()> {
        loop {
            let reverted = service.migrations().revert(self.path()).await?.expect("a migration was applied");
            assert!(reverted.ends_with(".down.sql"), "{reverted}");
            if !self.is_further(&reverted) {
                return Ok(());
            }
        }
    }

    fn is_further(&self, name: &str) -> bool {
        self.further.lock().expect("the names").iter().any(|further| further == name)
    }
}

/// The files of a migration.
#[derive(Debug)]
pub(crate) struct Files(Written);

impl Files {
    /// The text of the up files.
    pub(crate) fn up(&self) -> String {
        texts(self.0.changes.iter().map(|change| &change.up))
    }

    /// The text of the down files.
    pub(crate) fn down(&self) -> String {
        texts(self.0.changes.iter().map(|change| &change.down))
    }

    /// Applies a reviewer's edit to each up file.
    pub(crate) fn review_up(&self, edit: impl Fn(&str) -> String) {
        Self::edit(self.0.changes.iter().map(|change| &change.up), edit);
    }

    /// Applies a reviewer's edit to each down file.
    pub(crate) fn review_down(&self, edit: impl Fn(&str) -> String) {
        Self::edit(self.0.changes.iter().map(|change| &change.down), edit);
    }

    fn edit<'a>(files: impl Iterator<Item = &'a PathBuf>, edit: impl Fn(&str) -> String) {
        for file in files {
            fs::write(file, edit(&read(file))).expect("the file");
            hash(file.parent().expect("a directory"));
        }
    }

    /// Takes the statements that are left to the reader, as they stand.
    pub(crate) fn take_conversions(&self) {
        let edit = |text: &str| {
            let mut is_proposed = false;
            let lines = text.lines().map(|line| {
                let was_proposed = is_proposed;
                is_proposed = match line {
                    "" => false,
                    line => is_proposed || line.contains("left to you") || line.contains("was changed:"),
                };
                match line.strip_prefix("-- ") {
                    Some(statement) if was_proposed => statement.to_owned() + "\n",
                    _ => line.to_owned() + "\n",
                }
            });
            lines.collect::<String>()
        };
        self.review_up(edit);
        self.review_down(|text| {
            let lines = text.split_inclusive('\n').filter(|line| !line.contains("For an up file"));
            edit(&lines.collect::<String>())
        });
    }

    /// Applies a reviewer's edit to each line of both files.
    pub(crate) fn review(&self, edit: impl Fn(&str) -> String) {
        for file in self.0.changes.iter().flat_map(|change| [&change.up, &change.down]) {
            // Without what says for which up file the down file was written: both are reviewed.
            let text = read(file);
            let lines = text.lines().filter(|line| !line.starts_with("-- For an up file"));
            let lines: Vec<String> = lines.map(&edit).collect();
            fs::write(file, lines.join("\n") + "\n").expect("the file");
            hash(file.parent().expect("a directory"));
        }
    }
}

/// Accepts edits.
fn hash(directory: &Path) {
    crud_runtime::migrations::hash(directory).expect("the hashes are written");
}

/// The texts of files, one after another.
fn texts<'a>(files: impl Iterator<Item = &'a PathBuf>) -> String {
    files.map(|file| read(file)).collect::<Vec<_>>().join("\n")
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
