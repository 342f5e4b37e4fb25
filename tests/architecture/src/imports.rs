//! A page of the book has the path of each type that it calls: a reader who copies a line knows what to import.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::book::pages;
use crate::sources::sources;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The types whose functions a text calls by the types' names alone: `RateLimit` of `RateLimit::new(…)`.
fn called(text: &str) -> BTreeSet<&str> {
    let calls = text.match_indices("::").filter_map(|(position, sign)| {
        let (before, after) = (&text[..position], &text[position + sign.len()..]);
        let name = before.rsplit(|character| !is_word(character)).next()?;
        let function = after.split(|character| !is_word(character)).next()?;
        let is_call = function.starts_with(char::is_lowercase) && after[function.len()..].starts_with('(');
        let is_alone = !before[..before.len() - name.len()].ends_with("::");
        (is_call && is_alone && name.starts_with(char::is_uppercase)).then_some(name)
    });
    calls.collect()
}

/// Whether a text has a path that ends in the name, or a `use` of it.
fn has_path(text: &str, name: &str) -> bool {
    let words = |text: &str| text.split(|character| !is_word(character)).any(|word| word == name);
    let imports = text.split("use ").skip(1).filter_map(|rest| rest.split(';').next());
    let is_end = |(position, path): (usize, &str)| !text[position + path.len()..].starts_with(is_word);
    imports.into_iter().any(words) || text.match_indices(&format!("::{name}")).any(is_end)
}

/// The lines of a page that its readers see: without those of its examples that are only compiled.
fn visible(text: &str) -> String {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        is_code ^= line.trim_start().starts_with("```");
        !(is_code && (line.trim_start().starts_with("# ") || line.trim() == "#"))
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The names of the public types of a source; those of its examples and tests are indented.
fn types(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| {
        let name = ["pub struct ", "pub enum ", "pub trait "].iter().find_map(|start| line.strip_prefix(start))?;
        name.split(|character| !is_word(character)).next()
    })
}

/// The types that a page calls and has no path of.
fn without_path<'p>(page: &'p str, public: &BTreeSet<String>) -> Vec<&'p str> {
    let text = visible(page);
    let is_own = |name: &str| ["struct", "enum", "trait"].iter().any(|kind| page.contains(&format!("{kind} {name}")));
    let lacks = |name: &&str| public.contains(*name) && !is_own(name) && !has_path(&text, name);
    called(page).into_iter().filter(lacks).collect()
}

#[test]
fn types_that_a_page_calls_have_their_path_on_it() {
    let read = |path: &Path| fs::read_to_string(path).expect("the file can be read");
    let prelude = read(&root().join("crud-runtime/src/prelude.rs"));
    let files =
        ["crud-core/src", "crud-runtime/src", "crud-config/src"].map(|directory| sources(&root().join(directory)));
    let texts: Vec<String> = files.iter().flatten().map(|path| read(path)).collect();
    let public = texts.iter().flat_map(|text| types(text)).filter(|name| !has_path(&prelude, name));
    let public: BTreeSet<String> = public.map(str::to_owned).collect();
    assert!(public.len() > 100 && public.contains("RateLimit") && !public.contains("Store"), "{public:?}");
    let mut missing = Vec::new();
    for path in pages("docs/src").into_iter().chain(["README.md".to_owned()]) {
        let page = read(&root().join(&path));
        missing.extend(without_path(&page, &public).into_iter().map(|name| format!("{path}: {name}")));
    }
    assert!(missing.is_empty(), "a reader cannot import these: write `crud_runtime::…` or a `use` once: {missing:#?}");
}

#[test]
fn called_types_without_a_path_are_found() {
    let public = BTreeSet::from(["RateLimit".to_owned(), "Auth".to_owned()]);
    let of = |page| without_path(page, &public);
    assert_eq!(of("`post(f).rate_limit(RateLimit::new(10))`, `Other::new()`"), ["RateLimit"]);
    assert_eq!(of("`crud_runtime::RateLimit::new(10)`, then `RateLimit::new(5)`"), [""; 0]);
    assert_eq!(of("```rust\nuse crud_runtime::{Cors,\n    RateLimit};\nRateLimit::new(10);\n```"), [""; 0]);
    assert_eq!(of("```rust\n# use crud_runtime::auth::Auth;\nAuth::builder();\n```"), ["Auth"], "hidden");
    assert_eq!(of("`Auth` and `AuthBuilder::secret`, `struct Auth;`"), [""; 0]);
}
