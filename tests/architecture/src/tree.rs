//! [`Tree`]: the source files of a crate.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// The text of each `.rs` file under a crate's `src`, by its path there: `query/term.rs`.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    pub(crate) files: BTreeMap<String, String>,
}

impl Tree {
    /// Reads a directory.
    ///
    /// # Errors
    /// When a file or directory cannot be read.
    pub fn read(source: &Path) -> io::Result<Self> {
        let mut tree = Self::default();
        tree.add(source, "")?;
        Ok(tree)
    }

    /// A tree in memory, of paths and texts.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self { files: files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect() }
    }

    /// Number of files, tests included.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn add(&mut self, directory: &Path, prefix: &str) -> io::Result<()> {
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                self.add(&path, &format!("{prefix}{name}/"))?;
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                self.files.insert(format!("{prefix}{name}"), fs::read_to_string(&path)?);
            }
        }
        Ok(())
    }
}
