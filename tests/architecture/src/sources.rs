//! The sources below a directory.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of Rust below a directory.
///
/// # Panics
/// When it cannot be read.
pub(crate) fn sources(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path());
    let all = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    all.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}
