//! The book in `docs` is whole: its summary names each page, links and anchors lead somewhere, and the examples of each page
//! are compiled.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crud_architecture::Page;

/// The pages outside of the book whose links are checked.
const OTHERS: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "SECURITY.md", "docs/RELEASING.md", "benches/README.md", "crud-runtime/README.md"];

/// The file that lists the pages whose examples are compiled.
const EXAMPLES: &str = "tests/src/book.rs";

const SUMMARY: &str = "docs/src/SUMMARY.md";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(path: &str) -> Page {
    let text = fs::read_to_string(root().join(path));
    Page::of(&text.unwrap_or_else(|error| panic!("{path}: {error}")))
}

/// The Markdown files below a directory, but for the summary, as paths from the root of the repository.
fn pages(directory: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(root().join(directory)).expect("the directory can be read").filter_map(Result::ok) {
        let name = format!("{directory}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            found.append(&mut pages(&name));
        } else if entry.path().extension().is_some_and(|extension| extension == "md") && name != SUMMARY {
            found.insert(name);
        }
    }
    found
}

/// The path that a link leads to: `docs/src/guide/a.md` and `../b.md` give `docs/src/b.md`.
fn resolved(from: &str, link: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in Path::new(from).parent().expect("a file has a directory").join(link).components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            part => parts.push(part.as_os_str().to_string_lossy().into_owned()),
        }
    }
    parts.join("/")
}

/// The links of a page that lead nowhere.
fn broken_links(path: &str) -> Vec<String> {
    let page = page(path);
    let mut broken = Vec::new();
    for link in page.links.iter().filter(|link| !link.contains("://")) {
        let (file, anchor) = link.split_once('#').map_or((link.as_str(), None), |(file, anchor)| (file, Some(anchor)));
        let target = if file.is_empty() { path.to_owned() } else { resolved(path, file) };
        // The book as it is built holds the files of docs/src alone.
        let is_outside = path.starts_with("docs/src/") && !target.starts_with("docs/src/");
        let has_anchor = |anchor: &str| self::page(&target).anchors.iter().any(|other| other == anchor);
        if is_outside || !root().join(&target).exists() || anchor.is_some_and(|anchor| !has_anchor(anchor)) {
            broken.push(format!("{path}: {link}"));
        }
    }
    let is_missing = |include: &&String| {
        let (file, anchor) =
            include.split_once(':').map_or((include.as_str(), None), |(file, anchor)| (file, Some(anchor)));
        let text = fs::read_to_string(root().join(resolved(path, file)));
        text.is_err()
            || anchor.is_some_and(|anchor| !text.is_ok_and(|text| text.contains(&format!("ANCHOR: {anchor} "))))
    };
    let includes = page.includes.iter().filter(is_missing);
    broken.extend(includes.map(|file| format!("{path}: {{{{#include {file}}}}}")));
    broken
}

/// The paths in the list of pages whose examples are compiled.
fn compiled() -> BTreeSet<String> {
    let list = fs::read_to_string(root().join(EXAMPLES)).expect("the list can be read");
    list.split('"').skip(1).step_by(2).filter(|path| path.starts_with("docs/src/")).map(str::to_owned).collect()
}

#[test]
fn the_summary_names_each_page_once() {
    let mut named: Vec<String> = page(SUMMARY).links.iter().map(|link| resolved(SUMMARY, link)).collect();
    named.sort();
    let files: Vec<String> = pages("docs/src").into_iter().collect();
    let lacks: Vec<_> = files.iter().filter(|file| !named.contains(file)).collect();
    assert!(lacks.is_empty(), "{SUMMARY} lacks {lacks:?}");
    assert_eq!(named, files, "{SUMMARY} names a page twice, or one that does not exist");
}

#[test]
fn every_link_and_anchor_leads_somewhere() {
    let book = pages("docs/src");
    assert!(book.len() > 40, "{} pages", book.len());
    let all = book.iter().map(String::as_str).chain([SUMMARY]).chain(OTHERS);
    let broken: Vec<String> = all.flat_map(broken_links).collect();
    assert_eq!(broken, [""; 0]);
}

#[test]
fn the_examples_of_each_page_are_compiled() {
    let with_examples = pages("docs/src").into_iter().filter(|path| page(path).has_rust());
    assert_eq!(with_examples.collect::<BTreeSet<_>>(), compiled(), "the pages with examples, and those in {EXAMPLES}");
}

#[test]
fn the_front_page_names_each_feature() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("the file can be read");
    let (manifest, page) = (read("crud-runtime/Cargo.toml"), read("crud-runtime/src/docs/front.md"));
    let (_, features) = manifest.split_once("[features]\n").expect("the features");
    let lines = features.lines().take_while(|line| !line.starts_with('['));
    let names = lines.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name);
    let missing: Vec<&str> = names.filter(|name| *name != "default" && !page.contains(&format!("`{name}`"))).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn the_readme_has_at_most_200_lines() {
    let lines = fs::read_to_string(root().join("README.md")).expect("the README").lines().count();
    assert!(lines <= 200, "{lines} lines");
}

#[test]
fn headings_links_blocks_and_includes_are_read() {
    let text = "# The `crud` command\n\nSee [a](b.md#c), ![d](e.png) and `[no](link)`.\n\n## Twice\n## Twice\n\
                ````md\n```rust\n# Not a heading\n[no](link)\n```\n````\n```rust,no_run\n```\n{{#include ../x.md}}\n";
    let page = Page::of(text);
    assert_eq!(page.anchors, ["the-crud-command", "twice", "twice-1"]);
    assert_eq!(page.links, ["b.md#c", "e.png"]);
    assert_eq!(page.blocks, ["md", "rust,no_run"]);
    assert_eq!(page.includes, ["../x.md"]);
    assert!(page.has_rust() && !Page::of("```rs\n```").has_rust());
}

#[test]
fn a_link_is_resolved_from_its_pages_directory() {
    assert_eq!(resolved("docs/src/guide/a.md", "../reference/b.md"), "docs/src/reference/b.md");
    assert_eq!(resolved("README.md", "docs/src/c.md"), "docs/src/c.md");
}
