//! [`Checkout`]: a directory of a program's source, in which its author types commands.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crud_tests::{Database, Server};
use tempfile::TempDir;

/// A checkout of the program: a directory with `migrations/`.
#[derive(Debug)]
pub(crate) struct Checkout {
    program: &'static str,
    directory: TempDir,
    /// Output of the commands.
    printed: Mutex<String>,
}

impl Checkout {
    /// An empty checkout of a program whose variable `RELEASE` is its release.
    pub(crate) fn new(program: &'static str) -> Self {
        Self { program, directory: tempfile::tempdir().expect("a directory"), printed: Mutex::default() }
    }

    /// The program.
    pub(crate) const fn program(&self) -> &'static str {
        self.program
    }

    /// The working directory of its commands.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn migrations(&self) -> PathBuf {
        self.path().join("migrations")
    }

    /// A copy, as of a branch.
    pub(crate) fn branch(&self) -> Self {
        let branch = Self::new(self.program);
        fs::create_dir(branch.migrations()).expect("the directory");
        branch.take(self, |_| true);
        branch
    }

    /// Gives files a later version, as of a day on which they were written.
    pub(crate) fn postpone(&self, is_later: impl Fn(&str) -> bool) {
        let mut sums = self.read("crud.sum");
        for file in self.files(".sql").into_iter().filter(|file| is_later(file)) {
            let (version, name) = file.split_once('_').expect("a version");
            let later = format!("{}_{name}", version.parse::<i64>().expect("a number") + 1_000);
            fs::rename(self.migrations().join(&file), self.migrations().join(&later)).expect("the file");
            sums = sums.replace(&file, &later);
        }
        self.write("crud.sum", &sums);
    }

    /// Copies files of another checkout.
    pub(crate) fn take(&self, other: &Self, is_taken: impl Fn(&str) -> bool) {
        // A program without migrations has no directory.
        for entry in fs::read_dir(other.migrations()).into_iter().flatten() {
            let name = entry.expect("an entry").file_name().into_string().expect("a name");
            if is_taken(&name) {
                fs::copy(other.migrations().join(&name), self.migrations().join(&name)).expect("a copy");
            }
        }
    }

    /// The names of the SQL files with this end, in order.
    pub(crate) fn files(&self, end: &str) -> Vec<String> {
        let entries = fs::read_dir(self.migrations()).into_iter().flatten();
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
        let mut names: Vec<String> = names.filter(|name| name.ends_with(end)).collect();
        names.sort();
        names
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.migrations().join(name)).expect("the file")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.migrations().join(name), text).expect("the file");
    }

    /// Merges the files of another branch, as git does it: the sums of both sides conflict.
    pub(crate) fn merge(&self, other: &Self) {
        let (ours, theirs) = (self.read("crud.sum"), other.read("crud.sum"));
        let common = ours.lines().zip(theirs.lines()).take_while(|(one, other)| one == other).count();
        let lines = |text: &str, from: usize| text.split_inclusive('\n').skip(from).collect::<String>();
        let base: String = ours.split_inclusive('\n').take(common).collect();
        let (ours, theirs) = (lines(&ours, common), lines(&theirs, common));
        assert!(!ours.is_empty() && !theirs.is_empty(), "no conflict");
        self.take(other, |name| name != "crud.sum");
        self.write("crud.sum", &format!("{base}<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> branch\n"));
    }

    /// The texts of all files, in order.
    pub(crate) fn texts(&self) -> String {
        self.files(".sql").iter().map(|file| self.read(file)).collect()
    }

    /// The texts of the files of the newest version, for a failure's report.
    pub(crate) fn newest(&self) -> String {
        let newest = self.files(".up.sql").pop().unwrap_or_default();
        let version = newest.split('_').next().unwrap_or_default().to_owned();
        let files = self.files(".sql").into_iter().filter(|file| file.starts_with(&version));
        files.map(|file| format!("{file}\n{}", self.read(&file))).collect::<Vec<_>>().concat()
    }

    /// The lines that commands have printed.
    pub(crate) fn printed(&self) -> String {
        self.printed.lock().expect("the text").clone()
    }

    /// Runs a command of a release; whether it succeeds, and what it prints.
    async fn run(&self, release: &str, arguments: &[&str], database: &Database) -> (bool, String) {
        let variables = [("RELEASE", release)];
        let (status, printed) = Server::run_in(self.path(), self.program, arguments, &variables, database).await;
        self.printed.lock().expect("the text").push_str(&printed);
        (status.success(), printed)
    }

    /// Runs a command that succeeds; what it prints.
    pub(crate) async fn done(&self, release: &str, arguments: &[&str], database: &Database) -> String {
        let (good, printed) = self.run(release, arguments, database).await;
        assert!(good, "release {release}, {arguments:?}: {printed}");
        printed
    }

    /// Runs a command that fails; what it prints.
    pub(crate) async fn refused(&self, release: &str, arguments: &[&str], database: &Database) -> String {
        let (good, printed) = self.run(release, arguments, database).await;
        assert!(!good, "release {release}, {arguments:?}: {printed}");
        printed
    }
}
