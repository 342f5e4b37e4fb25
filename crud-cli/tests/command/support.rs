//! A working directory, and the output of the command in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A temporary directory.
pub(crate) struct Work {
    directory: TempDir,
}

/// The output of the command.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Work {
    /// An empty directory.
    pub(crate) fn new() -> Self {
        Self { directory: TempDir::new().expect("a directory") }
    }

    /// A directory with the project `demo` in it, and the project's directory.
    pub(crate) fn with_project() -> (Self, PathBuf) {
        let work = Self::new();
        work.crud(&["init", "--name", "demo"]).done();
        let project = work.path("demo");
        (work, project)
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.directory.path().canonicalize().expect("the directory").join(path)
    }

    /// Runs the command here.
    pub(crate) fn crud(&self, arguments: &[&str]) -> Said {
        crud(self.directory.path(), arguments)
    }
}

/// The command, to be run in a directory, in an environment without settings of a service.
pub(crate) fn command(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crud"));
    command.current_dir(directory).stdin(Stdio::null());
    for variable in ["DATABASE_URL", "BIND", "DEFAULT_LIMIT", "MAX_LIMIT", "METRICS", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command
}

/// Runs the command in a directory.
pub(crate) fn crud(directory: &Path, arguments: &[&str]) -> Said {
    said(command(directory).args(arguments))
}

/// Runs a command to its end.
pub(crate) fn said(command: &mut Command) -> Said {
    let Output { status, stdout, stderr } = command.output().expect("the command runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Said { code: status.code(), out: text(stdout), err: text(stderr) }
}

impl Said {
    /// The output of a command that succeeded.
    #[track_caller]
    pub(crate) fn done(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{self:?}");
        self.out
    }

    /// It has refused, in one sentence on standard error; gives that.
    #[track_caller]
    pub(crate) fn refused(self) -> String {
        assert_eq!((self.code, self.out.as_str()), (Some(1), ""), "{self:?}");
        let sentence = self.err.strip_prefix("error: ").and_then(|text| text.strip_suffix('\n'));
        let sentence = sentence.unwrap_or_else(|| panic!("an error: {self:?}")).to_owned();
        assert!(!sentence.contains('\n'), "one sentence: {sentence}");
        sentence
    }

    /// It does not understand its arguments; gives why.
    #[track_caller]
    pub(crate) fn misused(self) -> String {
        assert_eq!((self.code, self.out.as_str()), (Some(2), ""), "{self:?}");
        self.err
    }
}

/// Every file below a directory but those of git, with its text.
pub(crate) fn files(directory: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(next).expect("a list") {
            let path = entry.expect("an entry").path();
            if path.file_name().is_some_and(|name| name == ".git") {
                continue;
            }
            if path.is_dir() {
                directories.push(path);
            } else {
                let name = path.strip_prefix(directory).expect("below").display().to_string();
                files.insert(name, fs::read_to_string(&path).expect("text"));
            }
        }
    }
    files
}

/// Asserts that rustfmt would change nothing in a project's sources.
#[track_caller]
pub(crate) fn assert_formatted(project: &Path) {
    let check = said(Command::new("cargo").args(["fmt", "--", "--check"]).current_dir(project));
    assert_eq!((check.code, check.out.as_str()), (Some(0), ""), "{check:?}");
}
