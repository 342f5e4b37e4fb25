//! The derive's page has every attribute in an example that the documentation's tests compile.

use crate::symbol::{self, Symbol};

const PAGE: &str = include_str!("../../../crud-runtime/src/docs/derive.md");

/// The page's examples, without what they say in comments.
fn examples() -> String {
    let blocks = PAGE.split("\n```").skip(1).step_by(2);
    let lines = blocks.flat_map(str::lines).map(|line| line.split("//").next().unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|other| other == word)
}

#[test]
fn every_attribute_has_an_example() {
    let examples = examples();
    let symbols = [
        symbol::CONTAINER,
        symbol::FIELD,
        symbol::ENUM,
        symbol::VARIANT,
        symbol::IN_PAGINATION,
        symbol::IN_SOFT_DELETE,
        symbol::IN_BATCH,
        symbol::IN_AUDIT,
        symbol::IN_INDEX,
        symbol::IN_OWNER,
    ];
    let missing = |symbol: &&Symbol| !has_word(&examples, symbol.name);
    let missing: Vec<&str> = symbols.iter().copied().flatten().filter(missing).map(|symbol| symbol.name).collect();
    assert!(missing.is_empty(), "no example has {missing:?}");
}
