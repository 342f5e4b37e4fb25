//! [`Present`]: the resources that a project has.

use std::fs;

use anyhow::{Context, Result};

use crate::names;
use crate::project::Project;

/// The directory of resources.
pub(super) const DIRECTORY: &str = "src/resources";

/// A resource of the project: a struct in a file of its resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Present {
    /// The struct's name.
    pub(super) name: String,
    /// The name of its file, without its ending.
    pub(super) module: String,
    pub(super) schema: Option<String>,
    pub(super) table: String,
    pub(super) prefix: Option<String>,
    /// Whether the table is another program's.
    pub(super) is_unmanaged: bool,
    /// Whether `filter` and `sort` stand alone, so that lists use all fields that can be compared.
    pub(super) lists_all: bool,
    pub(super) fields: Vec<PresentField>,
    /// The text of the file.
    pub(super) text: String,
}

/// A field of a resource of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PresentField {
    pub(super) name: String,
    pub(super) column: String,
}

/// A file of the project without a resource, which may have an enum: its module and its text.
pub(super) type PresentEnum = (String, String);

/// The project's resources, and the other files of their directory.
pub(super) fn read(project: &Project) -> Result<(Vec<Present>, Vec<PresentEnum>)> {
    let directory = project.root.join(DIRECTORY);
    let entries = fs::read_dir(&directory).with_context(|| format!("cannot read `{}`", directory.display()))?;
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    let (mut resources, mut others) = (Vec::new(), Vec::new());
    for file in files {
        let Some(module) = file.file_stem().and_then(|stem| stem.to_str()).filter(|stem| *stem != "mod") else {
            continue;
        };
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let found = of_text(module, &text);
        if found.is_empty() {
            others.push((module.to_owned(), text));
        }
        resources.extend(found);
    }
    Ok((resources, others))
}

/// The resources of a file.
fn of_text(module: &str, text: &str) -> Vec<Present> {
    let lines: Vec<&str> = text.lines().collect();
    let heads = lines.iter().enumerate().filter_map(|(index, line)| {
        let name = line.strip_prefix("pub struct ")?.strip_suffix(" {")?;
        Some((index, name))
    });
    heads.filter_map(|(index, name)| resource(module, name, &lines, index, text)).collect()
}

fn resource(module: &str, name: &str, lines: &[&str], head: usize, text: &str) -> Option<Present> {
    let begin = (0..head).rev().find(|line| lines[*line].trim().is_empty()).map_or(0, |line| line + 1);
    let attributes = lines[begin..head].join("\n");
    if !attributes.contains("Resource)") && !attributes.contains("Resource,") {
        return None;
    }
    let end = lines[head..].iter().position(|line| *line == "}")? + head;
    let table = value(&attributes, "table").unwrap_or_else(|| names::plural(name));
    let is_alone = |key: &str| words(&attributes).any(|word| word == key);
    Some(Present {
        name: name.to_owned(),
        module: module.to_owned(),
        schema: value(&attributes, "schema"),
        table,
        prefix: value(&attributes, "prefix"),
        is_unmanaged: attributes.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "unmanaged"),
        lists_all: is_alone("filter") && is_alone("sort"),
        fields: fields(&lines[head + 1..end]),
        text: text.to_owned(),
    })
}

/// The arguments of `crud(…)` that have no value.
fn words(attributes: &str) -> impl Iterator<Item = &str> {
    let inside = attributes.split_once("#[crud(").map_or("", |(_, rest)| rest);
    inside.split([',', '\n']).map(|argument| argument.trim().trim_end_matches(")]"))
}

fn fields(lines: &[&str]) -> Vec<PresentField> {
    let mut fields = Vec::new();
    let mut attributes = String::new();
    for line in lines {
        let declared = line.trim().strip_prefix("pub ").and_then(|rest| rest.split_once(':'));
        let Some((name, _)) = declared else {
            attributes.push_str(line);
            attributes.push('\n');
            continue;
        };
        let name = name.trim().trim_start_matches("r#").to_owned();
        let column = value(&attributes, "column").unwrap_or_else(|| name.clone());
        fields.push(PresentField { name, column });
        attributes.clear();
    }
    fields
}

/// The text of `key = "…"`, or the first one of `key("…")`.
fn value(attributes: &str, key: &str) -> Option<String> {
    let place = |opening: &str| {
        let found = attributes.match_indices(opening).find(|(begin, _)| {
            let before = attributes[..*begin].chars().next_back();
            before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
        });
        found.map(|(begin, _)| begin + opening.len())
    };
    let nested = |begin: usize| {
        let inside = attributes[begin..].trim_start();
        inside.strip_prefix('"').map(|text| attributes.len() - text.len())
    };
    let begin = place(&format!("{key} = \"")).or_else(|| place(&format!("{key}(")).and_then(nested))?;
    let mut text = String::new();
    let mut letters = attributes[begin..].chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => return Some(text),
            '\\' => text.extend(letters.next()),
            other => text.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"//! Films.

use crud_runtime::prelude::*;

/// A film.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("film", schema = "rental", unmanaged),
    filter,
    sort,
    pagination(cursor)
)]
#[allow(clippy::struct_field_names)]
pub struct Movie {
    #[crud(id, column = "film_id")]
    pub key: i32,
    /// Mine.
    #[crud(column("Zip \"Code\"", sql_type = "bpchar"))]
    pub zip_code: Option<String>,
    pub r#type: i64,
}

/// Not a resource.
#[derive(Debug)]
pub struct Other {
    pub a: i64,
}
"#;

    #[test]
    fn a_resource_is_read_from_its_file() {
        let found = of_text("film", TEXT);
        assert_eq!(found.len(), 1, "{found:?}");
        let Present { name, table, schema, is_unmanaged, lists_all, fields, .. } = &found[0];
        assert!(is_unmanaged);
        assert_eq!(
            (name.as_str(), table.as_str(), schema, *lists_all),
            ("Movie", "film", &Some("rental".to_owned()), true)
        );
        let columns: Vec<_> = fields.iter().map(|field| (&*field.name, &*field.column)).collect();
        assert_eq!(columns, [("key", "film_id"), ("zip_code", "Zip \"Code\""), ("type", "type")]);
    }

    #[test]
    fn a_resource_without_a_table_has_its_plural() {
        let text = "/// A.\n#[derive(Debug, Resource)]\npub struct OrderItem {\n    pub id: i64,\n}\n";
        let found = of_text("order_item", text);
        assert_eq!((found[0].table.as_str(), found[0].is_unmanaged), ("order_items", false));
    }
}
