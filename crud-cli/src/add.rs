//! Fields that are added to the struct of a model that exists.

use anyhow::{Result, bail};

use crate::item_text::{body, import};
use crate::model::Model;
use crate::{names, render};

/// The text of a model's file with these fields after its present ones, with their enums and the imports that they
/// need.
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

/// The model's fields that the struct in the text lacks.
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

fn names_in(lines: &[String]) -> Vec<String> {
    let fields = lines.iter().filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(':'));
    fields.map(|(name, _)| name.trim_start_matches("r#").to_owned()).collect()
}
