//! Circles of imports inside a crate are small, so that a file can be read with few others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::module_graph::{Module, ModuleGraph};

/// The crates whose circles are bounded: all.
const CRATES: [&str; 8] = [
    "crud-cli",
    "crud-config",
    "crud-core",
    "crud-macros",
    "crud-runtime",
    "crud-shared",
    "storage/crud-mongodb",
    "storage/crud-sql",
];

/// Maximum number of files of a circle.
const MOST: usize = 5;

/// The modules that a module imports, directly or by others.
fn reached<'g>(graph: &'g ModuleGraph, module: &Module) -> BTreeSet<&'g Module> {
    let (mut found, mut next): (BTreeSet<_>, Vec<_>) = (BTreeSet::new(), graph.imports[module].iter().collect());
    while let Some(other) = next.pop() {
        if found.insert(other) {
            next.extend(&graph.imports[other]);
        }
    }
    found
}

/// The circles of a crate with more files than these.
fn circles(source: &Path, most: usize) -> BTreeSet<Vec<String>> {
    let graph = ModuleGraph::read(source);
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        graph.imports.keys().map(|module| (module, reached(&graph, module))).collect();
    let circle = |module: &&Module| -> Vec<String> {
        let others = reached[*module].iter().filter(|other| reached[*other].contains(*module));
        others.map(|other| other.join("/")).collect()
    };
    graph.imports.keys().map(|module| circle(&module)).filter(|circle| circle.len() > most).collect()
}

#[test]
fn circles_of_imports_are_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let found = CRATES.map(|name| (name, circles(&root.join(name).join("src"), MOST)));
    let found: Vec<_> = found.into_iter().filter(|(_, circles)| !circles.is_empty()).collect();
    assert!(found.is_empty(), "expected circles of at most {MOST} files, found {found:#?}");
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The circles of these files, each with its text.
    fn circles_of(files: &[(&str, &str)], most: usize) -> Vec<String> {
        let directory = tempfile::tempdir().expect("a directory");
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            fs::write(path, text).expect("a file");
        }
        circles(directory.path(), most).into_iter().map(|circle| circle.join(" ")).collect()
    }

    #[test]
    fn circle_through_a_group_and_a_path_in_code_is_found() {
        let files = [
            ("a.rs", "use crate::{\n    d::D,\n    b::{B, self},\n};\npub(in crate::c) struct A;\n"),
            ("b.rs", "fn b() { super::c::c() }\n"),
            ("c.rs", "use super::a::A;\n"),
            ("d.rs", "// crate::a\nmod e;\n\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n"),
        ];
        assert_eq!(circles_of(&files, 1), ["a b c"]);
        assert_eq!(circles_of(&files, 3), [""; 0]);
    }

    #[test]
    fn import_of_a_re_exported_name_is_one_of_the_file_that_has_the_item() {
        let files = [
            ("a/mod.rs", "mod b;\nmod c;\npub(crate) use self::b::B as Other;\npub use c::{C};\n"),
            ("a/b.rs", "use super::C;\nstruct B;\n"),
            ("a/c.rs", "use crate::a::Other;\nstruct C;\n"),
            ("d.rs", "use crate::a::C;\n"),
        ];
        assert_eq!(circles_of(&files, 1), ["a/b a/c"]);
    }

    #[test]
    fn paths_in_strings_are_no_imports() {
        let files = [
            ("a.rs", "use crate::b::B;\n"),
            (
                "b.rs",
                "const TEXT: &str = r#\"\nuse crate::a::A;\n\"#;\nconst QUOTE: char = '\"';\nconst NAME: &str = \"\\\"crate::a::A\";\n",
            ),
        ];
        assert_eq!(circles_of(&files, 1), [""; 0]);
    }
}
