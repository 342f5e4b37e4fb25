//! Checks that the names in `ARCHITECTURE.md` exist.

use std::fs;
use std::path::{Path, PathBuf};

/// The spans of code in a text, fenced blocks apart.
fn code_spans(text: &str) -> Vec<&str> {
    let blocks = text.split("```").step_by(2);
    blocks.flat_map(|block| block.split('`').skip(1).step_by(2)).collect()
}

/// The paths that `a/{b,c}/d` stands for.
fn expanded(path: &str) -> Vec<String> {
    let parts = path.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    match parts {
        Some((before, (choices, after))) => {
            choices.split(',').flat_map(|choice| expanded(&format!("{before}{}{after}", choice.trim()))).collect()
        }
        None => vec![path.to_owned()],
    }
}

/// The paths under `root` that a text names and that do not exist.
fn missing(root: &Path, text: &str) -> Vec<String> {
    let is_path = |span: &&str| ["crud-", "storage/crud-"].iter().any(|start| span.starts_with(start));
    let paths = code_spans(text).into_iter().filter(is_path).flat_map(expanded);
    paths.filter(|path| !root.join(path).exists()).collect()
}

#[test]
fn every_path_of_the_architecture_exists() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md can be read");
    assert!(code_spans(&text).iter().filter(|span| span.starts_with("crud-")).count() > 10, "the paths are found");
    assert_eq!(missing(&root, &text), [""; 0]);
}

#[test]
fn a_path_that_does_not_exist_is_found() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = "See `Cargo.toml` and `crud-x/src`, ```\n`crud-y`\n``` then `crud-{a,b}/c.rs`.";
    assert_eq!(missing(here, text), ["crud-x/src", "crud-a/c.rs", "crud-b/c.rs"]);
    assert_eq!(missing(&here.join("../.."), "`crud-{macros,runtime}/src` and `crud-cli`"), [""; 0]);
}
