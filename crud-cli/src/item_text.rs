//! The text of a file's types and imports, into which lines are added.

use anyhow::{Context, Result};

/// The lines between the braces of the type that begins with the line `head`: the first line, and the one after the
/// last.
pub(crate) fn body(text: &str, head: &str) -> Result<(usize, usize)> {
    let start = text.lines().position(|line| line == head).with_context(|| format!("there is no line `{head}`"))?;
    let end = text.lines().skip(start).position(|line| line == "}");
    let end = end.with_context(|| format!("`{head}` has no line `}}` after it"))?;
    Ok((start + 1, start + end))
}

/// Adds an import beside those of other resources, or after the import of the prelude.
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
