//! The book in `docs` is whole: its summary names each page, links and anchors lead somewhere, and the examples of each page
//! are compiled.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::documents::Page;

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
pub(crate) fn pages(directory: &str) -> BTreeSet<String> {
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

/// The text of a page with each copy of a file as the file is. A copy stands between `<!-- copy: FILE -->` and `<!-- end -->`; of
/// a Markdown file it is the text, or that between two anchors (`FILE#ANCHOR`), of others a block in the language that
/// follows the name.
fn with_fresh_copies(path: &str, text: &str) -> String {
    let mut fresh = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        fresh.push_str(line);
        fresh.push('\n');
        let Some(copied) = line.strip_prefix("<!-- copy: ").and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        let (file, language) = copied.split_once(' ').map_or((copied, None), |(file, language)| (file, Some(language)));
        let (file, anchor) = file.split_once('#').map_or((file, None), |(file, anchor)| (file, Some(anchor)));
        let source = fs::read_to_string(root().join(resolved(path, file)));
        let source = source.unwrap_or_else(|error| panic!("{path}: {file}: {error}"));
        let source = match anchor {
            None => source.as_str(),
            Some(anchor) => between(&source, anchor).unwrap_or_else(|| panic!("{path}: {file} has no anchor {anchor}")),
        };
        let block = match language {
            Some(language) => format!("```{language}\n{}\n```\n<!-- end -->\n", source.trim_end()),
            None => format!("{}\n<!-- end -->\n", source.trim()),
        };
        fresh.push_str(&block);
        assert!(lines.any(|line| line == "<!-- end -->"), "{path}: a copy of {file} has no end");
    }
    fresh
}

/// The text between two anchors, as mdBook writes them.
fn between<'a>(text: &'a str, anchor: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<!-- ANCHOR: {anchor} -->"))?;
    Some(rest.split_once(&format!("<!-- ANCHOR_END: {anchor} -->"))?.0)
}

#[test]
fn copies_of_files_are_as_the_files() {
    let mut stale = Vec::new();
    for path in pages("docs/src") {
        let text = fs::read_to_string(root().join(&path)).expect("the page");
        let fresh = with_fresh_copies(&path, &text);
        if fresh == text {
            continue;
        }
        if std::env::var_os("CRUD_TEST_UPDATE").is_some() {
            fs::write(root().join(&path), fresh).expect("the page is written");
        } else {
            stale.push(path);
        }
    }
    assert_eq!(stale, [""; 0], "`CRUD_TEST_UPDATE=1` copies the files anew");
}

/// The blocks of a page that follow `<!-- lines: FILE -->`, each with the file, where they are no lines of it. Indentation does not
/// count.
fn foreign_lines(path: &str, text: &str) -> (usize, Vec<String>) {
    let unindented = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let (mut count, mut foreign) = (0, Vec::new());
    for part in text.split("\n<!-- lines: ").skip(1) {
        let (file, rest) = ["rs", "js"]
            .iter()
            .find_map(|language| part.split_once(&format!(" -->\n```{language}\n")))
            .unwrap_or_else(|| panic!("{path}: a block follows: {part}"));
        let (block, _) = rest.split_once("\n```").unwrap_or_else(|| panic!("{path}: the block has an end: {rest}"));
        let source = fs::read_to_string(root().join(resolved(path, file)));
        let source = source.unwrap_or_else(|error| panic!("{path}: {file}: {error}"));
        count += 1;
        if !format!("\n{}\n", unindented(&source)).contains(&format!("\n{}\n", unindented(block))) {
            foreign.push(format!("{path}: {file}: {block}"));
        }
    }
    (count, foreign)
}

#[test]
fn quoted_lines_are_in_their_files() {
    let (mut count, mut foreign) = (0, Vec::new());
    for path in pages("docs/src") {
        let text = fs::read_to_string(root().join(&path)).expect("the page");
        let (blocks, others) = foreign_lines(&path, &text);
        count += blocks;
        foreign.extend(others);
    }
    assert!(count >= 15, "{count} blocks");
    assert_eq!(foreign, [""; 0]);
    let changed =
        "\n<!-- lines: ../../../examples/tracker/src/comment.rs -->\n```rs\nscope(write, author_id(me))\n```\n";
    assert_eq!(foreign_lines("docs/src/guide/from-rules.md", changed).1.len(), 1, "a part of a line is no line");
}

/// The book is read on the repository's pages too, where nothing is included and no line is hidden.
#[test]
fn pages_are_read_as_they_are_written() {
    let mut found = Vec::new();
    for path in pages("docs/src") {
        let text = fs::read_to_string(root().join(&path)).expect("the page");
        if text.contains("{{#include") {
            found.push(format!("{path}: `{{{{#include`"));
        }
        let mut is_rust = false;
        for (number, line) in (1..).zip(text.lines()) {
            match line.strip_prefix("```") {
                Some(language) => is_rust = language.starts_with("rust"),
                None if is_rust && (line == "#" || line.trim_start().starts_with("# ")) => {
                    found.push(format!("{path}:{number}: `{line}`"));
                }
                None => {}
            }
        }
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn the_examples_of_each_page_are_compiled() {
    let with_examples = pages("docs/src").into_iter().filter(|path| page(path).has_rust());
    assert_eq!(with_examples.collect::<BTreeSet<_>>(), compiled(), "the pages with examples, and those in {EXAMPLES}");
}

/// The names of the Rust files below a directory, without their ends.
fn modules(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            found.append(&mut modules(&path));
            found.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    found
}

/// The words of a page in backticks.
fn quoted(path: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// A filter that no module has runs no test, or one that has the word by chance.
#[test]
fn commands_that_show_the_promises_name_modules_of_suites() {
    let mut wrong = Vec::new();
    let commands = quoted("docs/src/explanation/promises.md");
    let commands: Vec<&String> = commands.iter().filter(|command| command.contains("--test ")).collect();
    assert!(commands.len() > 30, "{} commands", commands.len());
    for command in commands {
        let tests = if command.contains("-p repair") { "examples/repair/tests" } else { "tests/tests" };
        let (_, rest) = command.split_once("--test ").unwrap_or_default();
        let mut words = rest.split_whitespace();
        let suite = root().join(tests).join(words.next().unwrap_or_default());
        let modules = modules(&suite);
        let filter = words.next().filter(|word| !word.starts_with('-')).unwrap_or_default();
        if !modules.iter().any(|module| module.contains(filter)) && !suite.with_extension("rs").exists() {
            wrong.push(command);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn suites_that_the_security_policy_names_exist() {
    let modules = modules(&root().join("tests"));
    let is_there = |name: &String| match name.strip_suffix(".rs") {
        Some(module) if !name.contains('/') => modules.iter().any(|other| other == module),
        _ => root().join(name).exists(),
    };
    let is_source = |name: &String| Path::new(name).extension().is_some_and(|extension| extension == "rs");
    let named = quoted("SECURITY.md").into_iter().filter(|name| name.starts_with("tests/") || is_source(name));
    let missing: Vec<String> = named.filter(|name| !is_there(name)).collect();
    assert_eq!(missing, [""; 0]);
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

/// The names of metrics in a text: those of the service, of HTTP and of the process. A histogram's buckets are its own.
fn metrics_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_metric = |word: &&str| ["crud_", "http_", "process_"].iter().any(|start| word.starts_with(start));
    // The name of the crate is a label.
    let names = words.filter(is_metric).filter(|word| *word != "crud_runtime");
    names.map(|word| word.trim_end_matches("_bucket").to_owned()).collect()
}

#[test]
fn the_dashboard_and_the_alert_rules_name_metrics_that_exist() {
    let read = |file: &str| fs::read_to_string(root().join("docs/src").join(file)).expect("the file can be read");
    let known = metrics_in(&read("guide/metrics.md"));
    for file in ["monitoring/grafana-dashboard.json", "monitoring/alert-rules.yml"] {
        let named = metrics_in(&read(file));
        assert!(named.len() > 5, "{file}: {named:?}");
        let unknown: Vec<_> = named.difference(&known).collect();
        assert!(unknown.is_empty(), "{file} names {unknown:?}");
    }
}

#[test]
fn each_alert_has_its_line_in_the_checklist() {
    let read = |file: &str| fs::read_to_string(root().join("docs/src").join(file)).expect("the file can be read");
    let (rules, page) = (read("monitoring/alert-rules.yml"), read("guide/production.md"));
    let alerts = rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: "));
    let missing: Vec<&str> = alerts.filter(|alert| !page.contains(&format!("`{alert}`"))).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn the_readme_has_at_most_200_lines() {
    let lines = fs::read_to_string(root().join("README.md")).expect("the README").lines().count();
    assert!(lines <= 200, "{lines} lines");
}

#[test]
fn headings_links_and_blocks_are_read() {
    let text = "# The `crud` command\n\nSee [a](b.md#c), ![d](e.png) and `[no](link)`.\n\n## Twice\n## Twice\n\
                ````md\n```rust\n# Not a heading\n[no](link)\n```\n````\n```rust,no_run\n```\n";
    let page = Page::of(text);
    assert_eq!(page.anchors, ["the-crud-command", "twice", "twice-1"]);
    assert_eq!(page.links, ["b.md#c", "e.png"]);
    assert_eq!(page.blocks, ["md", "rust,no_run"]);
    assert!(page.has_rust() && !Page::of("```rs\n```").has_rust());
}

#[test]
fn a_link_is_resolved_from_its_pages_directory() {
    assert_eq!(resolved("docs/src/guide/a.md", "../reference/b.md"), "docs/src/reference/b.md");
    assert_eq!(resolved("README.md", "docs/src/c.md"), "docs/src/c.md");
}
