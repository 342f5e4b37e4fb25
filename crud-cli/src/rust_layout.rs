//! Rust source as rustfmt lays it out: the head of a resource's file, attributes, calls, and the lints that do not
//! apply to data.

use crate::names::{self, article};

/// Maximum width of an attribute's arguments for rustfmt.
const ATTRIBUTE_WIDTH: usize = 70;

/// Maximum number of `bool` fields in a struct before clippy advises enums.
const FLAGS: usize = 3;

/// The lines of a file up to the first field of its struct; `imports` are those from the files of other resources.
pub(crate) fn head(name: &str, imports: Vec<String>, options: &[String], allowed: Option<String>) -> Vec<String> {
    let words = names::words(name);
    let mut lines = vec![
        format!("//! {}.", names::capital(&names::plural(name).replace('_', " "))),
        String::new(),
        "use crud_runtime::prelude::*;".to_owned(),
        String::new(),
    ];
    if !imports.is_empty() {
        lines.extend(imports);
        lines.push(String::new());
    }
    lines.push(format!("/// {} {words}.", names::capital(article(&words))));
    lines.push("#[derive(Debug, Clone, Resource)]".to_owned());
    lines.extend(attribute("", options));
    lines.extend(allowed);
    lines.push(format!("pub struct {name} {{"));
    lines
}

/// The lints of clippy to allow on a struct of data. `flags`: the number of `bool` fields; `share_a_word`: whether the
/// names of all fields begin or end with the same word.
pub(crate) fn allowed<'f>(
    name: &str,
    mut fields: impl Iterator<Item = &'f str>,
    flags: usize,
    share_a_word: bool,
) -> Option<String> {
    let model = names::snake(name);
    let repeats = |field: &str| {
        field.strip_prefix(&model).is_some_and(|rest| rest.starts_with('_'))
            || field.strip_suffix(&model).is_some_and(|rest| rest.ends_with('_'))
    };
    let lints = [
        (flags > FLAGS, "clippy::struct_excessive_bools"),
        (share_a_word || fields.any(repeats), "clippy::struct_field_names"),
    ];
    let lints: Vec<&str> = lints.into_iter().filter(|(advised, _)| *advised).map(|(_, lint)| lint).collect();
    (!lints.is_empty()).then(|| format!("#[allow({})]", lints.join(", ")))
}

/// Whether clippy would advise other names for the variants: all begin or end with the same word, or one begins or ends
/// with the enum's name.
pub(crate) fn share_a_word(name: &str, values: &[String]) -> bool {
    let words: Vec<Vec<String>> =
        values.iter().map(|value| names::snake(&names::camel(value)).split('_').map(str::to_owned).collect()).collect();
    let same = |word: fn(&Vec<String>) -> Option<&String>| {
        words.len() > 2 && words.iter().all(|other| word(other) == word(&words[0]))
    };
    same(|words| words.first())
        || same(|words| words.last())
        || values.iter().map(|value| names::camel(value)).any(|value| value.starts_with(name) || value.ends_with(name))
}

/// An attribute on one line, or on several where it is too wide; `None` without options.
pub(crate) fn attribute(indentation: &str, options: &[String]) -> Option<String> {
    (!options.is_empty()).then(|| format!("{indentation}#[{}]", call("crud", indentation, options)))
}

/// A call with its arguments, a line for each where it is too wide. An argument of several lines is indented by four
/// more than the call.
pub(crate) fn call(name: &str, indentation: &str, arguments: &[String]) -> String {
    // A single argument that is a call itself begins on the line of the outer call.
    if let [argument] = arguments
        && argument.ends_with(')')
    {
        return format!("{name}({})", argument.replace("\n    ", "\n"));
    }
    let line = arguments.join(", ");
    if line.len() <= ATTRIBUTE_WIDTH && !line.contains('\n') {
        return format!("{name}({line})");
    }
    let lines: Vec<String> = arguments.iter().map(|argument| format!("{indentation}    {argument}")).collect();
    format!("{name}(\n{}\n{indentation})", lines.join(",\n"))
}
