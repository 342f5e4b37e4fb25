//! Each test crate's `main.rs`, and the `mod.rs` of a folder of cases, has a map from the promise to the case, and the map
//! names every file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A module of helpers, which need not be in the map.
const HELPERS: &str = "support";

/// The modules that a `main.rs` declares, and those that the last column of its map names.
fn modules(text: &str) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let declared = text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | ")?.strip_suffix(" |"));
    let cells = rows.filter_map(|row| row.rsplit(" | ").next());
    (declared.collect(), cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect())
}

/// Faults of a map: modules that it lacks, and names without a module.
fn faults(text: &str) -> Vec<String> {
    let (declared, named) = modules(text);
    let lacks = declared.difference(&named).filter(|name| **name != HELPERS).map(|name| format!("lacks `{name}`"));
    let vain = named.difference(&declared).map(|name| format!("names `{name}`, which is not a module"));
    let none = (!text.contains("//! |---|---|")).then(|| "has no map".to_owned());
    lacks.chain(vain).chain(none).collect()
}

/// The files of a directory of cases that its map's file does not declare.
fn undeclared(directory: &Path, text: &str) -> Vec<String> {
    let (declared, _) = modules(text);
    let files = fs::read_dir(directory).expect("a directory of cases").filter_map(Result::ok);
    let files = files.filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(".rs")?.to_owned()));
    let stray = files.filter(|name| name != "main" && name != "mod" && !declared.contains(name.as_str()));
    stray.map(|name| format!("does not declare {name}.rs")).collect()
}

/// The directories in one.
fn directories(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).expect("a directory").filter_map(Result::ok).map(|entry| entry.path());
    entries.filter(|path| path.is_dir()).collect()
}

#[test]
fn every_map_names_every_case_file() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut maps = 0;
    let mut found = Vec::new();
    for suite in ["tests/tests", "crud-runtime/tests"] {
        let crates = directories(&root.join(suite));
        let folders = crates.iter().flat_map(|path| directories(path)).map(|path| path.join("mod.rs"));
        for file in crates.iter().map(|path| path.join("main.rs")).chain(folders) {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            maps += 1;
            let undeclared = undeclared(file.parent().expect("a directory of cases"), &text);
            found
                .extend(faults(&text).into_iter().chain(undeclared).map(|fault| format!("{} {fault}", file.display())));
        }
    }
    assert!(maps >= 13, "{maps} maps");
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_map_that_lacks_a_module_or_names_another_is_found() {
    let map = "//! | Promise | Modules |\n//! |---|---|\n//! | It `holds` | `a`, `c` |\n";
    let text = format!("{map}mod a;\nmod b;\nmod support;\n");
    assert_eq!(faults(&text), ["lacks `b`", "names `c`, which is not a module"]);
    assert_eq!(faults("mod support;\n"), ["has no map"]);
}
