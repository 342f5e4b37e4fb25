//! `docs/llms.txt` is the whole book in one file, for programs that read it: an index, and the pages in the order of the
//! summary. `CRUD_TEST_UPDATE=1` writes it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::documents::Page;

/// The words before the index.
const HEAD: &str = "\
# crud-runtime

> Build an HTTP API over a database from one Rust struct for each kind of record: the table, statements, routes, validation, an
> OpenAPI document, logins, tenants, an audit log, jobs and migrations, on SQLite, PostgreSQL, MySQL, MariaDB and MongoDB.

The whole documentation in one file. Each page begins with a line `=== page: guide/hooks.md`: search for it. \"How do I …\" has the
most frequent questions with their answers; \"Every attribute\" lists each attribute with its legal form.

";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The first heading of a page.
fn title(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix("# ")).expect("a page has a title")
}

/// The first sentence of a page, on one line.
fn about(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(str::trim);
    let prose = paragraphs.skip(1).find(|paragraph| paragraph.starts_with(char::is_alphabetic)).unwrap_or_default();
    let line = prose.split('\n').collect::<Vec<_>>().join(" ");
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    line[..end].to_owned()
}

/// The text without what is for the book's own tests, and for the eye.
fn without_marks(text: &str) -> String {
    let is_kept = |line: &&str| !line.starts_with("<!--") && !line.starts_with("![");
    text.lines().filter(is_kept).fold(String::new(), |text, line| text + line + "\n")
}

/// The book.
fn written() -> String {
    let (source, mut text, mut pages) = (docs().join("src"), HEAD.to_owned(), String::new());
    for path in Page::of(&read(&source.join("SUMMARY.md"))).links {
        let page = read(&source.join(&path));
        writeln!(text, "- {path}: {}. {}", title(&page), about(&page)).expect("a text can be written");
        write!(pages, "\n=== page: {path}\n\n{}", without_marks(&page)).expect("a text can be written");
    }
    text + &pages
}

#[test]
fn one_file_has_the_whole_book() {
    let (file, written) = (docs().join("llms.txt"), written());
    if env::var_os("CRUD_TEST_UPDATE").is_some() {
        fs::write(&file, written).expect("the file is written");
        return;
    }
    assert!(read(&file) == written, "docs/llms.txt is not the book; CRUD_TEST_UPDATE=1 writes it");
}
