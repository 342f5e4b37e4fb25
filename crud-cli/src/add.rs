//! Fields that are added to the struct of a model that exists.

use anyhow::{Context, Result, bail};

use crate::model::Model;
use crate::{names, render};

/// The file of a model with these fields after those that it has, their enums and what they refer to.
pub(crate) fn fields(model: &Model, text: &str) -> Result<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (start, end) = body(text, &head(model))?;
    let existing = names_in(&lines[start..end]);
    let mut added = Vec::new();
    for field in &model.fields {
        if existing.contains(&field.name) {
            bail!("`{}` has the field `{}` already", model.name, field.name);
        }
        added.extend(render::field(model, field)?);
    }
    lines.splice(end..end, added);
    for target in model.targets() {
        import(&mut lines, &format!("use super::{}::{target};", names::module(target)));
    }
    lines.extend(render::enums(model));
    Ok(lines.join("\n") + "\n")
}

/// Names that the struct lacks.
pub(crate) fn missing<'a>(model: &'a Model, text: &str) -> Result<Vec<&'a str>> {
    let (start, end) = body(text, &head(model))?;
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let existing = names_in(&lines[start..end]);
    let names = model.fields.iter().map(|field| field.name.as_str());
    Ok(names.filter(|name| !existing.iter().any(|other| other == name)).collect())
}

fn head(model: &Model) -> String {
    format!("pub struct {} {{", model.name)
}

/// The lines of a type between its braces, by its line `head`: the first, and the one after the last.
pub(crate) fn body(text: &str, head: &str) -> Result<(usize, usize)> {
    let start = text.lines().position(|line| line == head).with_context(|| format!("there is no line `{head}`"))?;
    let end = text.lines().skip(start).position(|line| line == "}");
    let end = end.with_context(|| format!("`{head}` has no line `}}` after it"))?;
    Ok((start + 1, start + end))
}

fn names_in(lines: &[String]) -> Vec<String> {
    let fields = lines.iter().filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(':'));
    fields.map(|(name, _)| name.trim_start_matches("r#").to_owned()).collect()
}

/// Adds an import beside those of other resources, or after that of the prelude.
pub(crate) fn import(lines: &mut Vec<String>, line: &str) {
    if lines.iter().any(|other| other == line) {
        return;
    }
    let others: Vec<usize> = (0..lines.len()).filter(|index| lines[*index].starts_with("use super::")).collect();
    let key = |line: &str| line.replace("r#", "");
    match others.iter().find(|index| key(&lines[**index]) > key(line)).copied().or(others.last().map(|last| last + 1)) {
        Some(index) => lines.insert(index, line.to_owned()),
        None => {
            let last = lines.iter().position(|line| line.starts_with("use ")).map_or(0, |index| index + 1);
            lines.splice(last..last, [String::new(), line.to_owned()]);
        }
    }
}
