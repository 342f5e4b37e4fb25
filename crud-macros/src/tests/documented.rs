//! The derive's page has every attribute in an example that the documentation's tests compile.

use crate::symbol::{self, Symbol};

const PAGE: &str = include_str!("../../../crud-runtime/src/docs/derive.md");

/// The page's examples, without what they say in comments.
fn examples() -> String {
    let blocks = PAGE.split("\n```").skip(1).step_by(2);
    let lines = blocks.flat_map(str::lines).map(|line| line.split("//").next().unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// The page's sentence about what is refused so far, which no example can have.
fn refused() -> &'static str {
    PAGE.split('.').find(|sentence| sentence.contains("not there yet")).unwrap_or_default()
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|other| other == word)
}

#[test]
fn every_attribute_has_an_example() {
    let (examples, refused) = (examples(), refused());
    let symbols = [symbol::CONTAINER, symbol::FIELD, symbol::ENUM, symbol::VARIANT, symbol::IN_PAGINATION];
    let missing = |symbol: &&Symbol| !has_word(&examples, symbol.name) && !has_word(refused, symbol.name);
    let missing: Vec<&str> = symbols.iter().copied().flatten().filter(missing).map(|symbol| symbol.name).collect();
    assert!(missing.is_empty(), "no example has {missing:?}");
}
