//! [`ModuleGraph`]: the modules of a crate that files have, and which of them import which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::sources::sources;

/// The path of a module from its crate's root.
pub(crate) type Module = Vec<String>;

/// The length of a chain of re-exports that is followed.
const MOST_STEPS: usize = 10;

/// The modules of a crate, and which of them import which. An import of a re-exported name is one of the module that has the
/// item; a re-export itself is none.
pub(crate) struct ModuleGraph {
    /// The imports of each module, tests apart.
    pub(crate) imports: BTreeMap<Module, BTreeSet<Module>>,
}

/// A name that a module has by `use`.
struct Import {
    name: String,
    path: Vec<String>,
    is_reexport: bool,
}

/// The code of a module: the names that it uses, and the paths that it has elsewhere.
struct Code {
    names: Vec<Import>,
    paths: Vec<Vec<String>>,
}

impl ModuleGraph {
    /// The graph of the crate whose sources are below a directory.
    pub(crate) fn read(source: &Path) -> Self {
        let files = sources(source);
        let modules: BTreeMap<Module, Code> =
            files.iter().map(|file| (module_of(source, file), Code::read(&text_of(file)))).collect();
        let imports = modules.iter().map(|(module, code)| {
            let names = code.names.iter().filter(|name| !name.is_reexport).map(|name| &name.path);
            let targets = names.chain(&code.paths).filter_map(|path| target(&modules, module, path, MOST_STEPS));
            (module.clone(), targets.filter(|target| target != module).collect())
        });
        Self { imports: imports.collect() }
    }
}

/// The module of a file below a crate's sources.
fn module_of(source: &Path, file: &Path) -> Module {
    let path = file.strip_prefix(source).expect("a file of the crate").with_extension("");
    let mut parts: Module = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    parts.pop_if(|last| matches!(last.as_str(), "mod" | "lib" | "main"));
    parts
}

/// The code of a file without its tests, comments and strings.
fn text_of(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("a file can be read").replace("(in crate::", "(");
    let code = text.split("\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    without_strings(&lines.collect::<Vec<_>>().join("\n"))
}

/// The code with the contents of its strings removed.
fn without_strings(code: &str) -> String {
    let (mut kept, mut rest) = (String::new(), code);
    while let Some(start) = rest.find('"') {
        let hashes = rest[..start].bytes().rev().take_while(|byte| *byte == b'#').count();
        let is_raw = rest[..start - hashes].ends_with('r');
        let is_quote = rest[..start].ends_with('\'') || rest[..start].ends_with("'\\");
        kept += &rest[..=start];
        let text = &rest[start + 1..];
        rest = match (is_quote, is_raw) {
            (true, _) => text,
            (false, true) => text.split_once(&format!("\"{}", "#".repeat(hashes))).map_or("", |(_, after)| after),
            (false, false) => after_string(text),
        };
    }
    kept + rest
}

/// The text after the end of a string that it begins within.
fn after_string(text: &str) -> &str {
    let mut is_escaped = false;
    let end = text.find(|character| {
        let is_end = character == '"' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        is_end
    });
    end.map_or("", |end| &text[end + 1..])
}

impl Code {
    fn read(text: &str) -> Self {
        let mut code = Self { names: Vec::new(), paths: Vec::new() };
        for statement in text.split(';') {
            let found = statement.rsplit_once("use ").filter(|(before, _)| !before.ends_with(is_word));
            let (before, tree) = found.unwrap_or((statement, ""));
            let paths = before.split(|character| !is_word(character) && character != ':');
            code.paths.extend(paths.map(segments).filter(|path| path.len() > 1));
            let visibility = before.trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
            for path in paths_of(&tree.replace('\n', " ")) {
                let (path, alias) = path.split_once(" as ").unwrap_or((&path, ""));
                let path = segments(path);
                let name = if alias.is_empty() { path.last().cloned().unwrap_or_default() } else { alias.to_owned() };
                code.names.push(Import { name, path, is_reexport: visibility.starts_with("pub") });
            }
        }
        code
    }
}

fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

/// The segments of a path; `self` at its end is the module itself.
fn segments(path: &str) -> Vec<String> {
    let mut segments: Vec<_> = path.trim().split("::").map(|part| part.trim().to_owned()).collect();
    segments.retain(|part| !part.is_empty());
    if segments.len() > 1 {
        segments.pop_if(|last| last == "self");
    }
    segments
}

/// The paths of a tree of imports: `a::b` and `a::c::d` of `a::{b, c::d}`.
fn paths_of(tree: &str) -> Vec<String> {
    let Some((before, group)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let group = group.rsplit_once('}').map_or(group, |(group, _)| group);
    let mut depth = 0;
    let parts = group.split(|character| {
        depth += i32::from(character == '{') - i32::from(character == '}');
        character == ',' && depth == 0
    });
    parts
        .filter(|part| !part.trim().is_empty())
        .flat_map(paths_of)
        .map(|path| format!("{}{path}", before.trim()))
        .collect()
}

/// The module that has what a path names; `None` for one of another crate.
fn target(modules: &BTreeMap<Module, Code>, here: &Module, path: &[String], steps: usize) -> Option<Module> {
    let (mut module, mut rest) = (here.clone(), path);
    let is_child =
        |module: &Module, part: &String| modules.contains_key(&[&module[..], std::slice::from_ref(part)].concat());
    match rest.first()?.as_str() {
        "crate" => (module, rest) = (Module::new(), &rest[1..]),
        "self" | "super" => {}
        _ if is_child(&module, &rest[0]) => {}
        _ => return None,
    }
    while let Some((part, after)) = rest.split_first() {
        match part.as_str() {
            "self" => {}
            "super" => drop(module.pop()),
            _ if is_child(&module, part) => module.push(part.clone()),
            _ => {
                let mut names = modules.get(&module)?.names.iter().filter(|name| name.name == *part && steps > 0);
                let path = names.next().map(|name| [&name.path[..], after].concat());
                let found = path.and_then(|path| target(modules, &module, &path, steps - 1));
                return Some(found.unwrap_or(module));
            }
        }
        rest = after;
    }
    Some(module)
}
