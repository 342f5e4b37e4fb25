//! Targets without a test harness (`test = false`) have no unit tests, which would never run.

use std::fs;
use std::path::{Path, PathBuf};

/// The packages whose manifests leave a harness out.
const PACKAGES: [&str; 11] = [
    "benches",
    "examples/citizen",
    "examples/item",
    "examples/own-adapter",
    "examples/own-plugin",
    "examples/realworld",
    "examples/repair",
    "examples/shop",
    "examples/tracker",
    "fuzz",
    "tests",
];

/// The sources of the targets of a manifest that have no harness: a file, or the directory of a library or of a program
/// of several files.
fn without_harness(manifest: &str) -> Vec<PathBuf> {
    let sections = manifest.split("\n[").filter(|section| section.contains("\ntest = false"));
    let source = |section: &str| match section.split_once("path = \"") {
        None => PathBuf::from("src"),
        Some((_, path)) => {
            let path = PathBuf::from(path.split('"').next().expect("a path"));
            let is_directory = path.ends_with("main.rs") && path != Path::new("src/main.rs");
            if is_directory { path.parent().expect("a directory").to_owned() } else { path }
        }
    };
    sections.map(source).collect()
}

/// The unit tests in a file, or in the files below a directory other than those of programs.
fn tests(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() {
        let entries =
            fs::read_dir(path).expect("the directory can be read").map(|entry| entry.expect("an entry").path());
        return entries.filter(|path| !path.ends_with("bin")).flat_map(|path| tests(&path)).collect();
    }
    let text = fs::read_to_string(path).expect("the file can be read");
    if text.contains("#[test]") || text.contains("::test]") { vec![path.to_owned()] } else { Vec::new() }
}

#[test]
fn targets_without_a_harness_have_no_unit_tests() {
    for package in PACKAGES {
        let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(package);
        let manifest = fs::read_to_string(package.join("Cargo.toml")).expect("a manifest");
        let sources = without_harness(&manifest);
        assert!(!sources.is_empty(), "{} has every harness", package.display());
        for source in sources {
            let found = tests(&package.join(&source));
            assert!(found.is_empty(), "{} has no harness for {found:?}", source.display());
        }
    }
}
