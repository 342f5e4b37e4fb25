//! Circles of imports inside a crate are small, so that a file can be read with few others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::sources::sources;

/// The crates whose circles are bounded.
const CRATES: [&str; 5] = ["crud-config", "crud-core", "crud-shared", "storage/crud-mongodb", "storage/crud-sql"];

/// Maximum number of files of a circle.
const MOST: usize = 5;

/// Path of a module from its crate's root.
type Module = Vec<String>;

/// The modules of a crate that files have, each with its code, comments and tests apart.
fn modules(source: &Path) -> BTreeMap<Module, String> {
    let module = |file: &Path| {
        let path = file.strip_prefix(source).expect("a file of the crate").with_extension("");
        let mut parts: Module = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        parts.pop_if(|last| matches!(last.as_str(), "mod" | "lib"));
        parts
    };
    let code = |file: &Path| {
        let text = fs::read_to_string(file).expect("a file can be read").replace("(in crate::", "(");
        let code = text.split("\nmod tests {").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        lines.collect::<Vec<_>>().join("\n")
    };
    sources(source).iter().map(|file| (module(file), code(file))).collect()
}

/// The paths of a tree of imports: `a::b` and `a::c::d` of `a::{b, c::d}`.
fn paths(tree: &str) -> Vec<String> {
    let Some((before, group)) = tree.split_once('{') else { return vec![tree.to_owned()] };
    let group = group.rsplit_once('}').map_or(group, |(group, _)| group);
    let mut depth = 0;
    let parts = group.split(|character| {
        depth += i32::from(character == '{') - i32::from(character == '}');
        character == ',' && depth == 0
    });
    parts.flat_map(|part| paths(part.trim())).map(|path| format!("{before}{path}")).collect()
}

/// The paths of other modules that code has.
fn references(code: &str) -> Vec<String> {
    let trees = code.split(';').filter_map(|statement| Some(statement.rsplit_once("use ")?.1));
    let grouped = trees.filter(|tree| tree.contains('{')).flat_map(|tree| paths(&tree.replace(['\n', ' '], "")));
    let is_of_path = |character: char| character == '_' || character == ':' || character.is_alphanumeric();
    let inline = code.split(|character| !is_of_path(character)).filter(|path| !path.ends_with("::")).map(str::to_owned);
    let all = inline.chain(grouped);
    all.filter(|path| ["crate::", "super::", "self::"].iter().any(|root| path.starts_with(root))).collect()
}

/// The module that a path names, or in which it names something.
fn target(modules: &BTreeMap<Module, String>, here: &[String], path: &str) -> Option<Module> {
    let mut module = here.to_vec();
    for part in path.split("::").filter(|part| !part.is_empty()) {
        match part {
            "crate" => module.clear(),
            "super" => drop(module.pop()),
            "self" => {}
            part => module.push(part.to_owned()),
        }
    }
    while !modules.contains_key(&module) {
        module.pop()?;
    }
    Some(module).filter(|module| module != here)
}

/// The circles of a crate with more files than these.
fn circles(source: &Path, most: usize) -> BTreeSet<Vec<String>> {
    let modules = modules(source);
    let imports = |module: &Module| -> Vec<Module> {
        let paths = references(&modules[module]);
        paths.iter().filter_map(|path| target(&modules, module, path)).collect()
    };
    let imports: BTreeMap<&Module, Vec<Module>> = modules.keys().map(|module| (module, imports(module))).collect();
    let reached = |module: &Module| {
        let (mut found, mut next) = (BTreeSet::new(), imports[module].clone());
        while let Some(other) = next.pop() {
            if found.insert(other.clone()) {
                next.extend(imports[&other].iter().cloned());
            }
        }
        found
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> = modules.keys().map(|module| (module, reached(module))).collect();
    let circle = |module: &&Module| -> Vec<String> {
        let others = reached[*module].iter().filter(|other| reached[*other].contains(*module));
        others.map(|other| other.join("/")).collect()
    };
    modules.keys().map(|module| circle(&module)).filter(|circle| circle.len() > most).collect()
}

#[test]
fn circles_of_imports_are_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let found = CRATES.map(|name| (name, circles(&root.join(name).join("src"), MOST)));
    let found: Vec<_> = found.into_iter().filter(|(_, circles)| !circles.is_empty()).collect();
    assert!(found.is_empty(), "expected circles of at most {MOST} files, found {found:#?}");
}

#[test]
fn circle_through_a_group_and_a_path_in_code_is_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).expect("a file");
    write("a.rs", "use crate::{\n    d::D,\n    b::{B, self},\n};\npub(in crate::c) struct A;\n");
    write("b.rs", "fn b() { super::c::c() }\n");
    write("c.rs", "use super::a::A;\n");
    write("d.rs", "// crate::a\nmod e;\n\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n");
    assert_eq!(circles(directory.path(), 1), BTreeSet::from([["a", "b", "c"].map(str::to_owned).to_vec()]));
    assert_eq!(circles(directory.path(), 3), BTreeSet::new());
}
