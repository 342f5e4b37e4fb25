//! Adds fields for the new columns of a table to the struct that the project has for it.

use std::collections::HashSet;

use anyhow::Result;

use super::present::Present;
use super::report::Report;
use super::resource::{ResourceFile, is_same};
use super::writer;
use crate::{item_text, names};

/// The text of the project's file with fields for the columns that the struct lacks; `None` where it lacks none.
/// Existing lines stay as they are.
///
/// # Errors
/// When the file has no such struct.
pub(super) fn with_missing(
    file: &ResourceFile<'_>,
    present: &Present,
    text: &str,
    report: &mut Report,
) -> Result<Option<String>> {
    for field in &present.fields {
        if !file.table.columns.iter().any(|column| is_same(&column.name, &field.column)) {
            let gone =
                format!("the field `{}` of {} has no column `{}` any more", field.name, present.name, field.column);
            report.remark(&file.table.name, &gone);
        }
    }
    let missing: Vec<_> = file.fields.iter().filter(|field| !file.is_present(field)).collect();
    if missing.is_empty() {
        return Ok(None);
    }
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (_, end) = item_text::body(text, &format!("pub struct {} {{", present.name))?;
    let added = missing.iter().flat_map(|field| writer::field(file, field, !present.lists_all && !field.is_secret()));
    let added: Vec<String> = added.collect();
    lines.splice(end..end, added);
    let used: HashSet<&str> = missing
        .iter()
        .flat_map(|field| {
            let target = field.reference.as_ref().map(|reference| reference.target.as_str());
            target.into_iter().chain(field.enumeration.as_ref().map(|enumeration| enumeration.name.as_str()))
        })
        .collect();
    for (module, types) in &file.imports {
        for ty in types.iter().filter(|ty| used.contains(ty.as_str())) {
            if is_imported(&lines, ty) {
                continue;
            }
            item_text::import(&mut lines, &format!("use super::{}::{ty};", names::identifier(module)));
        }
    }
    lines.extend(missing.iter().flat_map(|field| writer::own_enum(field, &present.name)));
    Ok(Some(lines.join("\n") + "\n"))
}

fn is_imported(lines: &[String], ty: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    lines
        .iter()
        .filter(|line| line.starts_with("use super::"))
        .any(|line| line.split(|letter| !is_word(letter)).any(|word| word == ty))
}
