//! Enums of the database's own types, each in a file: `src/resources/mpaa_rating.rs`.

use anyhow::Result;

use super::naming;
use super::resource::SharedEnum;
use crate::{item_text, rust_layout};

/// The line that identifies the file of a type.
pub(super) fn mark(ty: &str) -> String {
    format!("/// A value of the type `{ty}` of the database.")
}

/// The text of a file.
pub(super) fn text(ty: &str, enumeration: &SharedEnum) -> String {
    let mut lines = vec![
        format!("//! The type `{ty}` of the database."),
        String::new(),
        "use crud_runtime::prelude::*;".to_owned(),
        String::new(),
        mark(ty),
    ];
    lines.extend(declaration(&enumeration.name, &enumeration.labels));
    lines.join("\n") + "\n"
}

/// The lines of an enum after its documentation.
pub(super) fn declaration(name: &str, labels: &[String]) -> Vec<String> {
    let variants = naming::variants(labels);
    let mut lines = vec!["#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]".to_owned()];
    if rust_layout::share_a_word(name, &variants) {
        lines.push("#[allow(clippy::enum_variant_names)]".to_owned());
    }
    lines.push(format!("pub enum {name} {{"));
    for (label, variant) in labels.iter().zip(&variants) {
        lines.extend(renamed(label, variant));
        lines.push(format!("    {variant},"));
    }
    lines.push("}".to_owned());
    lines
}

fn renamed(label: &str, variant: &str) -> Option<String> {
    rust_layout::attribute("    ", (label != variant).then(|| format!("rename = {label:?}")).as_slice())
}

/// The text of the file with the missing variants at the end of its enum.
///
/// # Errors
/// When the file has no such enum.
pub(super) fn with_missing(text: &str, enumeration: &SharedEnum) -> Result<String> {
    let (begin, end) = item_text::body(text, &format!("pub enum {} {{", enumeration.name))?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let body = lines[begin..end].join("\n");
    let variants = naming::variants(&enumeration.labels);
    let is_there = |label: &str, variant: &str| {
        body.contains(&format!("rename = {label:?}")) || label == variant && body.contains(&format!("    {variant},"))
    };
    let missing = enumeration.labels.iter().zip(&variants).filter(|(label, variant)| !is_there(label, variant));
    let added: Vec<String> = missing
        .flat_map(|(label, variant)| renamed(label, variant).into_iter().chain([format!("    {variant},")]))
        .collect();
    if added.is_empty() {
        return Ok(text.to_owned());
    }
    lines.splice(end..end, added);
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rating(labels: &[&str]) -> SharedEnum {
        SharedEnum { name: "Rating".to_owned(), labels: labels.iter().map(|&label| label.to_owned()).collect() }
    }

    #[test]
    fn texts_that_are_not_names_are_renamed() {
        let text = text("rating", &rating(&["G", "PG-13"]));
        assert!(text.contains("pub enum Rating {\n    G,\n    #[crud(rename = \"PG-13\")]\n    Pg13,\n}\n"), "{text}");
        assert!(text.contains(&mark("rating")));
    }

    #[test]
    fn a_text_that_is_new_is_added() {
        let before = text("rating", &rating(&["G"])).replace("    G,", "    // Mine.\n    G,");
        let after = with_missing(&before, &rating(&["G", "PG-13"])).expect("the enum");
        assert!(after.ends_with("    // Mine.\n    G,\n    #[crud(rename = \"PG-13\")]\n    Pg13,\n}\n"), "{after}");
        assert_eq!(with_missing(&after, &rating(&["G", "PG-13"])).expect("the enum"), after);
    }
}
