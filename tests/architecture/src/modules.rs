//! [`Imports`]: the module tree of a crate, its paths resolved to the files that define what they name.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;

use crate::scan::{Body, Named};
use crate::tree::Tree;

/// One file uses another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The file that uses.
    pub from: String,
    /// The line there, from 1.
    pub line: usize,
    /// The path as it is written: `crate::query::Page`.
    pub path: String,
    /// The file that defines what the path names.
    pub to: String,
}

/// The imports between the files of a crate.
#[derive(Debug, Default)]
pub struct Imports {
    /// The first import of each pair of files, parents and their children apart, in the order of the files.
    pub list: Vec<Import>,
    /// The files that are part of the crate outside of tests.
    pub files: Vec<String>,
    /// Faults that kept a part from being read: files that do not lex, modules without a file, paths that name nothing.
    pub faults: Vec<String>,
}

impl Imports {
    /// Reads the imports of a crate whose root is `lib.rs`.
    pub fn of(tree: &Tree) -> Self {
        let mut crates = Modules::default();
        crates.add_file(tree, "lib.rs", None);
        crates.imports()
    }
}

#[derive(Debug)]
struct Module {
    file: String,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    body: Body,
}

/// Target of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Module(usize),
    /// An item of this module.
    Item(usize),
    /// Something of another crate.
    External,
}

#[derive(Debug, Default)]
struct Modules {
    list: Vec<Module>,
    /// The file that declares each file's module.
    declared_in: BTreeMap<String, String>,
    aliases: Vec<String>,
    faults: Vec<String>,
}

impl Modules {
    fn add_file(&mut self, tree: &Tree, file: &str, parent: Option<usize>) -> Option<usize> {
        let text = tree.files.get(file)?;
        match text.parse::<TokenStream>() {
            Ok(tokens) => {
                let directory = match file.rsplit_once('/') {
                    Some((directory, "mod.rs")) => format!("{directory}/"),
                    None if file == "lib.rs" => String::new(),
                    _ => format!("{}/", file.trim_end_matches(".rs")),
                };
                if let Some(parent) = parent {
                    self.declared_in.insert(file.to_owned(), self.list[parent].file.clone());
                }
                Some(self.add(tree, file, &directory, parent, Body::of(tokens)))
            }
            Err(error) => {
                self.faults.push(format!("{file}:{}: {error}", error.span().start().line));
                None
            }
        }
    }

    /// Adds a module whose children are in this directory.
    fn add(&mut self, tree: &Tree, file: &str, directory: &str, parent: Option<usize>, mut body: Body) -> usize {
        let module = self.list.len();
        let children = std::mem::take(&mut body.children);
        self.aliases.extend(body.aliases.iter().cloned());
        self.list.push(Module { file: file.to_owned(), parent, children: BTreeMap::new(), body });
        for child in children {
            let name = &child.name;
            let added = if let Some(body) = child.body {
                Some(self.add(tree, file, &format!("{directory}{name}/"), Some(module), body))
            } else {
                let beside = file.rsplit_once('/').map_or("", |(directory, _)| directory);
                let candidates = match &child.path {
                    Some(path) if beside.is_empty() => vec![path.clone()],
                    Some(path) => vec![format!("{beside}/{path}")],
                    None => vec![format!("{directory}{name}.rs"), format!("{directory}{name}/mod.rs")],
                };
                let found = candidates.iter().find(|path| tree.files.contains_key(*path));
                if found.is_none() {
                    self.faults.push(format!("{file}:{}: `mod {name};` has no file", child.line));
                }
                found.and_then(|path| self.add_file(tree, path, Some(module)))
            };
            if let Some(added) = added {
                self.list[module].children.insert(child.name, added);
            }
        }
        module
    }

    fn imports(mut self) -> Imports {
        let mut imports = BTreeMap::new();
        let mut faults = std::mem::take(&mut self.faults);
        for (module, Module { file, body, .. }) in self.list.iter().enumerate() {
            let mut add = |named: &Named, to: usize| {
                let to = &self.list[to].file;
                let related =
                    |child: &str, parent: &str| self.declared_in.get(child).is_some_and(|file| file == parent);
                if file == to || related(file, to) || related(to, file) {
                    return;
                }
                let (line, path) = (named.line, named.segments.join("::"));
                let import = Import { from: file.clone(), line, path, to: to.clone() };
                let first = imports.entry((file.clone(), to.clone())).or_insert_with(|| import.clone());
                if line < first.line {
                    *first = import;
                }
            };
            for used in &body.uses {
                let Some(targets) = self.resolve(module, &used.named.segments, &mut BTreeSet::new()) else {
                    faults.push(fault(file, &used.named));
                    continue;
                };
                let items = targets.iter().filter_map(|target| match target {
                    Target::Item(of) => Some(*of),
                    _ => None,
                });
                let mut items: BTreeSet<_> = items.collect();
                let modules: Vec<_> = targets.iter().filter_map(as_module).collect();
                let is_prefix = match &used.binds {
                    // What a glob brings is seen where its name stands.
                    None => {
                        let brought = modules.iter().flat_map(|of| self.brought(*of, &body.identifiers));
                        let before = items.len();
                        items.extend(brought);
                        items.len() > before
                    }
                    Some(name) => self.is_prefix(module, name),
                };
                if items.is_empty() && !is_prefix {
                    items.extend(modules);
                }
                for of in items {
                    add(&used.named, of);
                }
            }
            for path in body.paths.iter().filter(|path| self.is_ours(module, &path.segments[0])) {
                match self.resolve(module, &path.segments, &mut BTreeSet::new()) {
                    None => faults.push(fault(file, path)),
                    Some(targets) => targets.iter().for_each(|target| match target {
                        Target::Item(of) | Target::Module(of) => add(path, *of),
                        Target::External => {}
                    }),
                }
            }
        }
        let files: BTreeSet<_> = self.list.into_iter().map(|module| module.file).collect();
        Imports { list: imports.into_values().collect(), files: files.into_iter().collect(), faults }
    }

    /// Whether a path with this first segment leads into this crate by a module.
    fn is_ours(&self, module: usize, first: &str) -> bool {
        let is_module = || self.lookup(module, first, &mut BTreeSet::new()).iter().any(|to| as_module(to).is_some());
        matches!(first, "crate" | "self" | "super") || self.is_alias(first) || is_module()
    }

    fn is_alias(&self, name: &str) -> bool {
        self.aliases.iter().any(|alias| alias == name)
    }

    /// Whether paths or imports of a module or of one inside it start with this name.
    fn is_prefix(&self, module: usize, name: &str) -> bool {
        let Module { file, body, children, .. } = &self.list[module];
        let starts = |named: &Named| named.segments.len() > 1 && named.segments[0] == name;
        let inside = |child: &usize| self.list[*child].file == *file && self.is_prefix(*child, name);
        body.paths.iter().any(starts)
            || body.uses.iter().any(|used| starts(&used.named))
            || children.values().any(inside)
    }

    /// The modules whose items a glob brings to code with these identifiers.
    fn brought(&self, from: usize, identifiers: &BTreeSet<String>) -> Vec<usize> {
        let targets = identifiers.iter().flat_map(|name| self.lookup(from, name, &mut BTreeSet::new()));
        targets.filter_map(|target| if let Target::Item(of) = target { Some(of) } else { None }).collect()
    }

    /// Resolves a path, seen from a module; none if it names nothing.
    fn resolve(
        &self,
        module: usize,
        segments: &[String],
        visited: &mut BTreeSet<(usize, String)>,
    ) -> Option<Vec<Target>> {
        let (first, rest) = segments.split_first()?;
        let mut current = match first.as_str() {
            "crate" => vec![Target::Module(0)],
            "self" => vec![Target::Module(module)],
            "super" => vec![Target::Module(self.list[module].parent?)],
            name => match self.lookup(module, name, visited) {
                found if !found.is_empty() => found,
                _ if self.is_alias(name) => vec![Target::Module(0)],
                _ => vec![Target::External],
            },
        };
        for segment in rest {
            // A function may share its name with the module that a path goes through.
            if current.iter().any(|target| as_module(target).is_some()) {
                current.retain(|target| as_module(target).is_some());
            }
            let mut next = Vec::new();
            for target in &current {
                match target {
                    Target::Module(of) if segment == "super" => next.push(Target::Module(self.list[*of].parent?)),
                    Target::Module(of) => {
                        let found = self.lookup(*of, segment, visited);
                        let made_by_macro = found.is_empty() && self.list[*of].body.has_macros;
                        next.extend(if made_by_macro { vec![Target::Item(*of)] } else { found });
                    }
                    // A variant, an associated item.
                    other => next.push(other.clone()),
                }
            }
            current = next;
        }
        (!current.is_empty()).then_some(current)
    }

    /// Targets of a name in a module: its children, its items, its imports.
    fn lookup(&self, module: usize, name: &str, visited: &mut BTreeSet<(usize, String)>) -> Vec<Target> {
        if !visited.insert((module, name.to_owned())) {
            return Vec::new();
        }
        let Module { children, body, .. } = &self.list[module];
        let mut found: BTreeSet<_> = children.get(name).map(|child| Target::Module(*child)).into_iter().collect();
        if body.items.contains(name) {
            found.insert(Target::Item(module));
        }
        for used in &body.uses {
            match &used.binds {
                Some(bound) if bound == name => {
                    found.extend(self.resolve(module, &used.named.segments, visited).unwrap_or_default());
                }
                None if !used.is_local => {
                    let globbed = self.resolve(module, &used.named.segments, visited).unwrap_or_default();
                    let modules: Vec<_> = globbed.iter().filter_map(as_module).collect();
                    found.extend(modules.into_iter().flat_map(|of| self.lookup(of, name, visited)));
                }
                _ => {}
            }
        }
        visited.remove(&(module, name.to_owned()));
        found.into_iter().collect()
    }
}

fn as_module(target: &Target) -> Option<usize> {
    match target {
        Target::Module(module) => Some(*module),
        _ => None,
    }
}

fn fault(file: &str, named: &Named) -> String {
    format!("{file}:{}: `{}` names nothing that can be found", named.line, named.segments.join("::"))
}
