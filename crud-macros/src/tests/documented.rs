//! The derive's page has every attribute in an example that the documentation's tests compile.

use crate::key::PLACES;

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
    let keys = PLACES.iter().filter(|place| place.completion.is_some()).flat_map(|place| place.keys);
    let missing: Vec<&str> = keys.map(|spec| spec.name).filter(|name| !has_word(&examples, name)).collect();
    assert!(missing.is_empty(), "no example has {missing:?}");
}
