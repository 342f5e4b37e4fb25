//! The derive's page quotes its errors as the compile-fail cases show them.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Shown for the field defaults of nightly Rust alone, which no case can have.
const NIGHTLY: &str = "expected a default as an attribute: `#[crud(default(…))]`";

/// The messages in all `.stderr` files below a directory, without `error:` and `error[E0277]:`.
fn messages(directory: &Path, into: &mut Vec<String>) {
    for entry in fs::read_dir(directory).expect("the directory can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            messages(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "stderr") {
            let text = fs::read_to_string(&path).expect("the case's errors can be read");
            let errors = text.lines().filter(|line| line.starts_with("error"));
            into.extend(errors.filter_map(|line| Some(line.split_once(": ")?.1.to_owned())));
        }
    }
}

/// Whether the message is of the template, in which `…` stands for any text.
fn fits(template: &str, message: &str) -> bool {
    let mut parts = template.split('…');
    let Some(mut rest) = parts.next().and_then(|start| message.strip_prefix(start)) else { return false };
    for part in parts {
        let Some(position) = rest.find(part) else { return false };
        rest = &rest[position + part.len()..];
    }
    rest.is_empty() || template.ends_with('…')
}

#[test]
fn every_error_on_the_derives_page_is_shown_by_a_case() {
    let page = fs::read_to_string(root().join("crud-runtime/src/docs/derive.md")).expect("the page");
    let (_, errors) = page.split_once("\n# Errors\n").expect("the section");
    let mut shown = Vec::new();
    messages(&root().join("tests/ui"), &mut shown);
    let rows = errors.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Error |"));
    let quoted: Vec<&str> =
        rows.filter_map(|row| row[2..].split(" | ").next()).flat_map(|cell| cell.split("<br>")).collect();
    assert!(quoted.len() > 80, "{} errors", quoted.len());
    let unknown: Vec<&str> = quoted
        .into_iter()
        .filter(|template| *template != NIGHTLY && !shown.iter().any(|message| fits(template, message)))
        .collect();
    assert_eq!(unknown, [""; 0]);
}

#[test]
fn ellipsis_stands_for_any_text() {
    assert!(fits("`…` must be `bool`", "`x` must be `bool`") && fits("expected …", "expected `,`"));
    assert!(!fits("`…` must be `bool`", "`x` must be `bool`, found `i64`") && !fits("must", "it must"));
}
