//! Snapshots of expansions, one a file: the item in the comments at its head, and the expansion below.
//!
//! `SNAPSHOTS=overwrite cargo test -p crud-macros --all-features` writes them; a new one is a file with the comments
//! alone.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::{expansion, formatted};

/// The item in the comments at the head of a file.
fn header(text: &str) -> String {
    text.lines().map_while(|line| line.strip_prefix("//")).fold(String::new(), |mut source, line| {
        // Writing to a String cannot fail.
        let _ = writeln!(source, "{}", line.strip_prefix(' ').unwrap_or(line));
        source
    })
}

#[test]
fn expansions_equal_their_snapshots() {
    let overwrite = std::env::var("SNAPSHOTS").is_ok_and(|value| value == "overwrite");
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/snapshots");
    let mut changed = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(&directory).expect("the snapshots are there") {
        let path = entry.expect("an entry").path();
        let old = fs::read_to_string(&path).expect("a text file");
        let source = header(&old);
        let item = syn::parse_str(&source).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let comments = source.lines().fold(String::new(), |text, line| text + format!("// {line}").trim_end() + "\n");
        let new = format!("{comments}\n{}", formatted(expansion(&item)));
        count += 1;
        if new != old {
            changed.push(path.display().to_string());
            if overwrite {
                fs::write(&path, new).expect("the file can be written");
            }
        }
    }
    assert!(count > 0, "there are no snapshots in {}", directory.display());
    assert!(
        overwrite || changed.is_empty(),
        "these expansions changed; write them again with SNAPSHOTS=overwrite and read the difference: {changed:#?}"
    );
}
