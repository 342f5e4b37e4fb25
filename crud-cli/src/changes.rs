//! [`Changes`]: the changes of files that a command makes, shown or applied as a whole.

use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use similar::{ChangeTag, TextDiff};

use crate::output::{ADDED, REMOVED, STRONG};

/// Changes of files below one directory.
#[derive(Debug)]
pub(crate) struct Changes {
    root: PathBuf,
    files: Vec<Change>,
}

#[derive(Debug)]
struct Change {
    /// The path from the root.
    path: PathBuf,
    /// The contents before; `None` when the file does not exist.
    before: Option<String>,
    /// The contents after; `None` when the file is removed.
    after: Option<String>,
}

impl Changes {
    /// An empty set of changes.
    pub(crate) fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), files: Vec::new() }
    }

    /// The contents of a file; `None` when it does not exist.
    pub(crate) fn read(&self, path: impl AsRef<Path>) -> Result<Option<String>> {
        let file = self.root.join(path);
        match fs::read_to_string(&file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read `{}`", file.display())),
        }
    }

    /// Sets the contents of a file.
    pub(crate) fn write(&mut self, path: impl Into<PathBuf>, after: String) -> Result<()> {
        let path = path.into();
        let before = self.read(&path)?;
        if before.as_ref() != Some(&after) {
            self.files.push(Change { path, before, after: Some(after) });
        }
        Ok(())
    }

    /// Removes a file, if it exists.
    pub(crate) fn remove(&mut self, path: impl Into<PathBuf>) -> Result<()> {
        let path = path.into();
        if let Some(before) = self.read(&path)? {
            self.files.push(Change { path, before: Some(before), after: None });
        }
        Ok(())
    }

    /// A line for each file: whether it is written, changed or removed.
    pub(crate) fn summary(&self) -> String {
        let line = |Change { path, before, after }: &Change| {
            let word = match (before, after) {
                (_, None) => "Removed",
                (None, Some(_)) => "Written",
                (Some(_), Some(_)) => "Changed",
            };
            format!("{word}: {}\n", path.display())
        };
        self.files.iter().map(line).collect()
    }

    /// Whether there is no change.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The changes as a unified diff.
    pub(crate) fn diff(&self) -> String {
        let mut text = String::new();
        for Change { path, before, after } in &self.files {
            let path = path.display();
            let name = |side: &str, there: bool| if there { format!("{side}/{path}") } else { "/dev/null".to_owned() };
            let (old, new) = (name("a", before.is_some()), name("b", after.is_some()));
            let diff =
                TextDiff::from_lines(before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default());
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{STRONG}--- {old}\n+++ {new}{STRONG:#}");
            for hunk in diff.unified_diff().iter_hunks() {
                let _ = writeln!(text, "{}", hunk.header());
                for change in hunk.iter_changes() {
                    let line = change.value().trim_end_matches('\n');
                    let _ = match change.tag() {
                        ChangeTag::Equal => writeln!(text, " {line}"),
                        ChangeTag::Insert => writeln!(text, "{ADDED}+{line}{ADDED:#}"),
                        ChangeTag::Delete => writeln!(text, "{REMOVED}-{line}{REMOVED:#}"),
                    };
                }
            }
        }
        text
    }

    /// Applies all changes. After an error, none is applied.
    pub(crate) fn apply(self) -> Result<()> {
        let mut done = Done::default();
        for Change { path, before, after } in self.files {
            let file = self.root.join(path);
            let changed = match &after {
                Some(after) => done.write(&file, before, after),
                None => done.remove(&file, before),
            };
            if let Err(error) = changed {
                done.undo();
                return Err(error).with_context(|| format!("cannot write `{}`", file.display()));
            }
        }
        Ok(())
    }
}

/// The changes that are applied, and can be undone.
#[derive(Debug, Default)]
struct Done {
    directories: Vec<PathBuf>,
    files: Vec<(PathBuf, Option<String>)>,
}

impl Done {
    fn write(&mut self, file: &Path, before: Option<String>, after: &str) -> Result<()> {
        self.create_directory(file.parent().unwrap_or(Path::new(".")))?;
        if file.is_dir() {
            bail!("it is a directory");
        }
        // The target of a symbolic link is replaced, not the link.
        let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        replace(&file, after)?;
        self.files.push((file, before));
        Ok(())
    }

    fn remove(&mut self, file: &Path, before: Option<String>) -> Result<()> {
        fs::remove_file(file)?;
        self.files.push((file.to_owned(), before));
        Ok(())
    }

    fn create_directory(&mut self, directory: &Path) -> Result<()> {
        let missing: Vec<&Path> = directory
            .ancestors()
            .take_while(|directory| !directory.as_os_str().is_empty() && !directory.exists())
            .collect();
        for directory in missing.into_iter().rev() {
            fs::create_dir(directory)?;
            self.directories.push(directory.to_owned());
        }
        Ok(())
    }

    /// Undoes what it can. The error that led here is the one that is reported.
    fn undo(self) {
        for (file, before) in self.files.into_iter().rev() {
            match before {
                Some(text) => replace(&file, &text).ok(),
                None => fs::remove_file(&file).ok(),
            };
        }
        for directory in self.directories.into_iter().rev() {
            fs::remove_dir(directory).ok();
        }
    }
}

/// Replaces a file atomically: a reader sees the old text or the new one.
fn replace(file: &Path, text: &str) -> Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".crud-new");
    let new = file.with_file_name(name);
    let written = fs::write(&new, text)
        .and_then(|()| match fs::metadata(file) {
            Ok(old) => fs::set_permissions(&new, old.permissions()),
            Err(_) => Ok(()),
        })
        .and_then(|()| fs::rename(&new, file));
    if written.is_err() {
        fs::remove_file(&new).ok();
    }
    Ok(written?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_undoes_the_changes_before_it() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path();
        fs::write(root.join("old"), "before").expect("a file");
        fs::create_dir(root.join("taken")).expect("a directory in the way");
        let mut changes = Changes::new(root);
        changes.write("old", "after".to_owned()).expect("a change");
        changes.write("a/b/new", "new".to_owned()).expect("a change");
        fs::write(root.join("going"), "there").expect("a file");
        changes.remove("going").expect("a change");
        let summary = "Changed: old\nWritten: a/b/new\nRemoved: going\n";
        assert_eq!(changes.summary(), summary);
        changes.files.push(Change { path: "taken".into(), before: None, after: Some("x".to_owned()) });
        let error = changes.apply().expect_err("a directory is in the way");
        assert!(format!("{error:#}").ends_with("taken`: it is a directory"), "{error:#}");
        assert_eq!(fs::read_to_string(root.join("old")).expect("the file"), "before");
        let mut remaining: Vec<_> =
            fs::read_dir(root).expect("a list").map(|entry| entry.expect("it").file_name()).collect();
        remaining.sort();
        assert_eq!(remaining, ["going", "old", "taken"]);
    }

    #[test]
    fn the_same_contents_are_not_a_change() {
        let directory = tempfile::tempdir().expect("a directory");
        fs::write(directory.path().join("file"), "same").expect("a file");
        let mut changes = Changes::new(directory.path());
        changes.write("file", "same".to_owned()).expect("no change");
        assert!(changes.is_empty());
    }
}
