//! [`Sums`]: the hashes of a directory's files, in `crud.sum`. Two branches that each add a file add a line at its end, which
//! is a conflict in git: neither is merged unseen behind or before the other.
//!
//! ```text
//! 20261121181559_create_books.down.sql sha256:5f1c… generated
//! 20261121181559_create_books.up.sql sha256:9a04… generated
//! 20261122090000_isbn.up.sql sha256:c7e8…
//! ```

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::directory::unusable;
use crate::storage::migrate_error::MigrateError;

/// The file's name.
pub(crate) const FILE: &str = "crud.sum";

/// The first line.
const HEAD: &str =
    "# Hashes of the migrations, in order. `crud migrate hash` accepts an edit, `crud migrate rebase` a merge.";

/// Mark of a file that is as `migrate diff` wrote it.
const GENERATED: &str = "generated";

/// Begins of the lines by which git marks a conflict.
const CONFLICT: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];

/// The hash of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sum {
    name: String,
    hash: String,
    /// Whether `migrate diff` wrote the file, and nothing edited it.
    generated: bool,
}

/// The lines of `crud.sum`.
#[derive(Debug, Default)]
pub(super) struct Sums {
    lines: Vec<Sum>,
    /// The up files of both sides of a conflict that a merge left.
    conflict: Option<Vec<String>>,
}

impl Sums {
    /// Reads the file of a directory; `None` where there is none.
    pub(super) fn read(directory: &Path) -> Result<Option<Self>, MigrateError> {
        let file = directory.join(FILE);
        if !file.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&file).map_err(|error| unusable(directory, &format!("{FILE}: {error}")))?;
        let mut sums = Self::default();
        let mut in_conflict = false;
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
            if CONFLICT.iter().any(|mark| line.starts_with(mark)) {
                in_conflict = !line.starts_with(CONFLICT[3]);
                sums.conflict.get_or_insert_default();
                continue;
            }
            let mut words = line.split_whitespace();
            let (Some(name), Some(hash)) = (words.next(), words.next()) else {
                return Err(unusable(
                    directory,
                    &format!("`{FILE}` has the line `{line}`: `crud migrate hash` writes it anew"),
                ));
            };
            let generated = words.next() == Some(GENERATED);
            if let Some(conflict) = sums.conflict.as_mut().filter(|_| in_conflict && name.ends_with(".up.sql")) {
                conflict.push(format!("`{name}`"));
            }
            sums.lines.push(Sum { name: name.to_owned(), hash: hash.to_owned(), generated });
        }
        Ok(Some(sums))
    }

    /// Checks the files of a directory, if it has sums.
    ///
    /// # Errors
    /// [`MigrateError::Directory`] with each file that was edited, is missing, or was added.
    pub(super) fn check(directory: &Path) -> Result<(), MigrateError> {
        let Some(sums) = Self::read(directory)? else { return Ok(()) };
        if let Some(conflict) = &sums.conflict {
            let reason = format!(
                "`{FILE}` has a conflict of a merge: name those of {} that are your branch's to `crud migrate rebase`, which \
                 puts them behind the others",
                conflict.join(", ")
            );
            return Err(unusable(directory, &reason));
        }
        let files = files(directory)?;
        let mut faults = Vec::new();
        for (name, text) in &files {
            match sums.lines.iter().find(|sum| sum.name == *name) {
                None => faults.push(format!("`{name}` is not in `{FILE}`: `crud migrate hash` adds it")),
                Some(sum) if sum.hash != hash(text) => faults.push(format!(
                    "`{name}` was edited since its hash was written: put it back as it was, or accept it by \
                     `crud migrate hash`"
                )),
                Some(_) => {}
            }
        }
        let missing = sums.names().filter(|name| !files.iter().any(|(file, _)| file == name));
        faults.extend(missing.map(|name| format!("`{name}` is in `{FILE}`, and missing")));
        if faults.is_empty() { Ok(()) } else { Err(unusable(directory, &faults.join("; "))) }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|sum| sum.name.as_str())
    }

    /// Whether a file is as `migrate diff` wrote it. After a merge, the lines of both sides count.
    pub(super) fn is_generated(&self, name: &str, text: &str) -> bool {
        self.lines.iter().any(|sum| sum.generated && sum.name == name && sum.hash == hash(text))
    }

    /// Writes the sums of a directory's files. Those of `generated` names are marked, and those that were and did not change.
    /// Returns the names of the files whose lines are new or differ.
    pub(super) fn write(directory: &Path, generated: &[String]) -> Result<Vec<String>, MigrateError> {
        let before = Self::read(directory)?.unwrap_or_default();
        let mut text = format!("{HEAD}\n");
        let mut changed = Vec::new();
        for (name, contents) in files(directory)? {
            let generated = generated.contains(&name) || before.is_generated(&name, &contents);
            let sum = Sum { hash: hash(&contents), generated, name };
            let mark = if generated { format!(" {GENERATED}") } else { String::new() };
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{} {}{mark}", sum.name, sum.hash);
            if !before.lines.contains(&sum) {
                changed.push(sum.name);
            }
        }
        fs::write(directory.join(FILE), text).map_err(|error| unusable(directory, &format!("{FILE}: {error}")))?;
        Ok(changed)
    }
}

/// The names and the texts of a directory's SQL files, in order.
fn files(directory: &Path) -> Result<Vec<(String, String)>, MigrateError> {
    let failed = |error: std::io::Error| unusable(directory, &error);
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if Path::new(&name).extension().is_some_and(|extension| extension == "sql") {
            let text =
                fs::read_to_string(entry.path()).map_err(|error| unusable(directory, &format!("{name}: {error}")))?;
            files.push((name, text));
        }
    }
    files.sort_by_cached_key(|(name, _)| (version(name), name.clone()));
    Ok(files)
}

/// The version that a file's name begins with.
pub(super) fn version(name: &str) -> Option<i64> {
    name.split('_').next().and_then(|version| version.parse().ok())
}

/// Hash of a file with the line ends of a checkout on Unix.
fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.replace("\r\n", "\n").as_bytes());
    let mut hash = "sha256:".to_owned();
    for byte in digest {
        // Writing to a String cannot fail.
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(directory.path().join(name), text).unwrap();
        }
        directory
    }

    fn fault(directory: &Path) -> String {
        Sums::check(directory).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn edited_added_and_missing_files_are_named() {
        let directory = directory(&[("1_a.sql", "a"), ("2_b.up.sql", "b")]);
        let path = directory.path();
        assert_eq!(fault(path), "", "no sums, no fault");
        assert_eq!(Sums::write(path, &[]).unwrap(), ["1_a.sql", "2_b.up.sql"]);
        assert_eq!(fault(path), "");
        fs::write(path.join("1_a.sql"), "a\r\n").unwrap();
        fs::rename(path.join("2_b.up.sql"), path.join("3_b.up.sql")).unwrap();
        let fault = fault(path);
        for part in ["`1_a.sql` was edited", "`3_b.up.sql` is not in", "`2_b.up.sql` is in `crud.sum`, and missing"] {
            assert!(fault.contains(part), "{part} in {fault}");
        }
        assert_eq!(Sums::write(path, &[]).unwrap(), ["1_a.sql", "3_b.up.sql"]);
    }

    #[test]
    fn mark_of_a_generated_file_ends_with_an_edit() {
        let directory = directory(&[("1_a.up.sql", "a\r\n"), ("10_b.up.sql", "b")]);
        let path = directory.path();
        Sums::write(path, &["1_a.up.sql".to_owned(), "10_b.up.sql".to_owned()]).unwrap();
        fs::write(path.join("1_a.up.sql"), "a\n").unwrap();
        fs::write(path.join("10_b.up.sql"), "c").unwrap();
        Sums::write(path, &[]).unwrap();
        let text = fs::read_to_string(path.join(FILE)).unwrap();
        let marks: Vec<bool> = text.lines().skip(1).map(|line| line.ends_with(" generated")).collect();
        assert_eq!(marks, [true, false], "other line ends are no edit: {text}");
    }

    #[test]
    fn both_sides_of_a_conflict_are_read() {
        let conflict = "1_a.up.sql sha256:1\n<<<<<<< HEAD\n2_b.up.sql sha256:2 generated\n=======\n3_c.up.sql sha256:3\n>>>>>>> c\n";
        let directory = directory(&[(FILE, conflict)]);
        let sums = Sums::read(directory.path()).unwrap().unwrap();
        assert_eq!(sums.conflict.as_ref().unwrap().join(" "), "`2_b.up.sql` `3_c.up.sql`");
        assert_eq!(sums.names().collect::<Vec<_>>(), ["1_a.up.sql", "2_b.up.sql", "3_c.up.sql"]);
        assert!(fault(directory.path()).contains("crud migrate rebase"));
    }
}
