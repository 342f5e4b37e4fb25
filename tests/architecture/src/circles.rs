//! [`Circle`]: files that import each other.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::{self, Display};

use crate::modules::{Import, Imports};

/// A largest set of files each of which reaches each other by imports (a strongly connected component).
#[derive(Debug)]
pub struct Circle {
    /// Its files, sorted.
    pub files: Vec<String>,
    /// A shortest way round, from a file back to it.
    pub way: Vec<Import>,
    /// All imports inside.
    pub imports: Vec<Import>,
}

impl Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "a circle of {} files; a shortest way round:", self.files.len())?;
        self.way.iter().try_for_each(|import| writeln!(f, "  {import}"))?;
        writeln!(f, " file by file:")?;
        for file in &self.files {
            writeln!(f, "  {file}")?;
            for import in self.imports.iter().filter(|import| import.from == *file) {
                writeln!(f, "    {}: {} -> {}", import.line, import.path, import.to)?;
            }
        }
        Ok(())
    }
}

impl Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {} -> {}", self.from, self.line, self.path, self.to)
    }
}

/// The circles of two files and more, the largest first.
pub fn circles(imports: &Imports) -> Vec<Circle> {
    let mut next: BTreeMap<&str, Vec<&Import>> = BTreeMap::new();
    for import in &imports.list {
        next.entry(&import.from).or_default().push(import);
    }
    let reached: BTreeMap<_, _> = imports.files.iter().map(|file| (file.as_str(), reached(&next, file))).collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut circles = Vec::new();
    for (file, reaches) in &reached {
        if seen.contains(file) {
            continue;
        }
        let together =
            reaches.iter().copied().filter(|other| reached.get(other).is_some_and(|back| back.contains(file)));
        let files: BTreeSet<_> = together.collect();
        seen.extend(&files);
        if files.len() > 1 {
            let inside = |import: &&Import| files.contains(import.from.as_str()) && files.contains(import.to.as_str());
            let imports: Vec<_> = imports.list.iter().filter(inside).cloned().collect();
            let ways = files.iter().filter_map(|file| way_round(&imports, file));
            let way = ways.min_by_key(Vec::len).unwrap_or_default();
            circles.push(Circle { files: files.iter().map(|&file| file.to_owned()).collect(), way, imports });
        }
    }
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.files.len()));
    circles
}

/// The files that imports lead to from one.
fn reached<'a>(next: &BTreeMap<&'a str, Vec<&'a Import>>, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut queue = vec![from];
    while let Some(file) = queue.pop() {
        for import in next.get(file).into_iter().flatten() {
            if reached.insert(import.to.as_str()) {
                queue.push(&import.to);
            }
        }
    }
    reached
}

/// A shortest way by these imports from a file back to it.
fn way_round(imports: &[Import], start: &str) -> Option<Vec<Import>> {
    let mut came_by: BTreeMap<&str, &Import> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(file) = queue.pop_front() {
        for import in imports.iter().filter(|import| import.from == file) {
            if !came_by.contains_key(import.to.as_str()) {
                came_by.insert(&import.to, import);
                queue.push_back(&import.to);
            }
        }
    }
    let mut way = vec![(*came_by.get(start)?).clone()];
    while way[0].from != start {
        way.insert(0, (*came_by.get(way[0].from.as_str())?).clone());
    }
    Some(way)
}
