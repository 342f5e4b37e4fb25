//! Rules of the crate's sources: public imports, the vendored file's hash.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| {
            let is_file = path.extension().is_some_and(|found| found == ending);
            if path.is_dir() { files(&path, ending) } else { is_file.then_some(path).into_iter().collect() }
        })
        .collect()
}

fn is_vendored(file: &Path) -> bool {
    file.parent().is_some_and(|folder| folder.ends_with("vendor"))
}

#[test]
fn crate_uses_public_items_alone() {
    for file in files(&root().join("src"), "rs") {
        let text = fs::read_to_string(&file).expect("a source");
        assert!(!text.contains("__private"), "{}", file.display());
        let others = ["crud_core::", "crud_shared::", "crud_sql::", "crud_macros::"];
        assert!(others.iter().all(|other| !text.contains(other)), "{}", file.display());
    }
}

#[test]
fn vendored_files_are_those_of_their_hashes() {
    let hashes = fs::read_to_string(root().join("vendor/SHA256")).expect("the hashes");
    for line in hashes.lines() {
        let (stated, name) = line.split_once("  ").expect("a hash and a name");
        let bytes = fs::read(root().join("assets/vendor").join(name)).expect("the vendored file");
        let hash = Sha256::digest(bytes).iter().fold(String::new(), |hash, byte| hash + &format!("{byte:02x}"));
        assert_eq!(hash, stated, "{name}");
    }
    assert_eq!(hashes.lines().count(), files(&root().join("assets/vendor"), "js").len());
}

/// Names of the top level of the page's modules, which are linked into one script.
#[test]
fn names_of_the_modules_are_distinct() {
    let mut names: Vec<(String, PathBuf)> = Vec::new();
    let modules = files(&root().join("assets"), "js");
    for file in modules.into_iter().filter(|file| !is_vendored(file) && !file.ends_with("early.js")) {
        for line in fs::read_to_string(&file).expect("a module").lines() {
            let line = line.strip_prefix("export ").unwrap_or(line);
            let line = line.strip_prefix("async ").unwrap_or(line);
            let kinds = ["const ", "let ", "function ", "class "];
            let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) else { continue };
            let name: String = rest.chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect();
            if let Some((_, other)) = names.iter().find(|(known, _)| *known == name) {
                panic!("`{name}` is in {} and {}: rename one", other.display(), file.display());
            }
            names.push((name, file.clone()));
        }
    }
    assert!(names.len() > 100, "the modules were read");
}

#[test]
fn lines_of_the_page_have_at_most_120_characters() {
    let folders = ["assets", "browser/test"].map(|folder| root().join(folder));
    let files = folders.iter().flat_map(|folder| files(folder, if folder.ends_with("test") { "mjs" } else { "js" }));
    for file in files.filter(|file| !is_vendored(file)) {
        for (number, line) in (1..).zip(fs::read_to_string(&file).expect("a module").lines()) {
            assert!(line.chars().count() <= 120, "{}:{number}", file.display());
        }
    }
}

/// Ways by which a text could become markup or a script.
#[test]
fn page_makes_no_markup_of_text() {
    for file in files(&root().join("assets"), "js").into_iter().filter(|file| !is_vendored(file)) {
        let text = fs::read_to_string(&file).expect("a module");
        for sink in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc"]
        {
            assert!(!text.contains(sink), "{} has `{sink}`", file.display());
        }
        let storage = text.lines().filter(|line| line.contains("localStorage") || line.contains("sessionStorage"));
        let is_known =
            |line: &str| line.contains("THEME") || line.contains("crud-admin.theme") || line.contains("key(resource)");
        assert!(storage.into_iter().all(is_known), "{} stores more than the theme and columns", file.display());
    }
}
