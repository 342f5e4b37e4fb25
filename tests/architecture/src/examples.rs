//! Public types of own routes, hooks, jobs, transactions and queries have an example in their documentation, and the methods of
//! `Service` are in groups.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sources::sources;

/// The modules whose items are read, in `lib.rs` of `crud-runtime`.
const MODULES: [&str; 4] = ["routing", "hooks", "jobs", "transaction"];

/// The beginnings of definitions.
const KINDS: [&str; 6] = ["pub struct ", "pub enum ", "pub trait ", "pub fn ", "pub const fn ", "pub type "];

/// The items that a module re-exports from below a root, each with the path of the module that defines it. Hidden ones are left out.
fn exports(text: &str, root: &str) -> Vec<(String, String)> {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join(" ");
    let statements = code.split(';').filter(|statement| !statement.contains("#[doc(hidden)]"));
    let paths = statements.filter_map(|statement| statement.split_once("pub use ")?.1.trim().strip_prefix(root));
    let mut found = Vec::new();
    for (module, names) in paths.filter_map(|path| path.rsplit_once("::")) {
        let names = names.trim_matches(['{', '}']).split(',').map(str::trim).filter(|name| !name.is_empty());
        found.extend(names.map(|name| (module.to_owned(), name.to_owned())));
    }
    found
}

/// The body of a module in `lib.rs`.
fn body<'t>(library: &'t str, module: &str) -> &'t str {
    let start = library.find(&format!("pub mod {module} {{")).expect("the module");
    library[start..].split("\n}").next().unwrap_or_default()
}

fn is_definition(line: &str, name: &str) -> bool {
    let is_end = |rest: &str| !rest.starts_with(|c: char| c == '_' || c.is_alphanumeric());
    let named = |kind: &&str| line.strip_prefix(*kind).and_then(|rest| rest.strip_prefix(name)).is_some_and(is_end);
    KINDS.iter().any(named)
}

/// Whether the documentation of an item in one of the files has an example; `None` where none of them defines it.
fn has_example(files: &[PathBuf], name: &str) -> Option<bool> {
    files.iter().find_map(|file| {
        let text = fs::read_to_string(file).expect("a file can be read");
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|line| is_definition(line, name))?;
        let above = lines[..at].iter().rev();
        let mut documentation =
            above.take_while(|line| ["///", "#[", ")]", "    "].iter().any(|start| line.starts_with(start)));
        Some(documentation.any(|line| line.contains("```") || line.contains("include_str!")))
    })
}

#[test]
fn public_types_have_an_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("a file can be read");
    let library = read("crud-runtime/src/lib.rs");
    let of_modules = MODULES.iter().flat_map(|module| exports(body(&library, module), "crate::"));
    let mut items: Vec<_> = of_modules.map(|item| ("crud-runtime/src", item)).collect();
    items
        .extend(exports(&read("crud-core/src/query/mod.rs"), "").into_iter().map(|item| ("crud-core/src/query", item)));
    assert!(items.len() > 60, "{items:?}");
    let mut faults = Vec::new();
    for (source, (module, name)) in items {
        let path = root.join(source).join(module.replace("::", "/"));
        let mut candidates = vec![path.with_extension("rs")];
        candidates.retain(|file| file.exists());
        if path.is_dir() {
            candidates.extend(sources(&path));
        }
        match has_example(&candidates, &name) {
            Some(true) => {}
            Some(false) => faults.push(format!("{module}::{name} has no example")),
            None => faults.push(format!("{module}::{name} is not found")),
        }
    }
    assert_eq!(faults, [""; 0]);
}

#[test]
fn methods_of_a_service_are_in_groups() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crud-runtime/src/service");
    let is_public =
        |body: &str| ["fn", "async fn", "const fn"].iter().any(|kind| body.contains(&format!("\n    pub {kind} ")));
    let (mut groups, mut faults) = (0, Vec::new());
    for file in sources(&root) {
        let text = fs::read_to_string(&file).expect("a file can be read");
        let parts: Vec<&str> = text.split("\nimpl Service {").collect();
        for pair in parts.windows(2) {
            let documentation = pair[0].rsplit("\n\n").next().unwrap_or_default();
            if pair[1].split("\n}").next().is_some_and(is_public) {
                groups += 1;
                if !documentation.contains("/// # ") {
                    faults.push(format!("{}: its methods have no heading", file.display()));
                }
            }
        }
    }
    assert!(groups > 20, "{groups}");
    assert_eq!(faults, [""; 0]);
}
