//! The text of a lock file: short values on one line, so that a change is a line of a diff.

use serde_json::Value as Json;

/// Greatest length of a line with a whole value, in bytes.
const WIDTH: usize = 110;

/// The JSON with a line for each value that fits one.
pub(crate) fn text(json: &Json) -> String {
    let mut text = String::new();
    write(&mut text, json, 0, 0);
    text.push('\n');
    text
}

/// Writes a value behind a name of `used` bytes.
fn write(text: &mut String, json: &Json, depth: usize, used: usize) {
    let inline = inline(json);
    let is_long = inline.len() + depth * 2 + used > WIDTH;
    let is_always_long = depth == 0 || used > 0 && depth == 1;
    match json {
        Json::Object(members) if !members.is_empty() && (is_long || is_always_long) => {
            let last = members.len() - 1;
            text.push_str("{\n");
            for (index, (name, value)) in members.iter().enumerate() {
                let name = Json::from(name.as_str()).to_string();
                indent(text, depth + 1);
                text.push_str(&name);
                text.push_str(": ");
                write(text, value, depth + 1, name.len() + 2);
                text.push_str(if index == last { "\n" } else { ",\n" });
            }
            indent(text, depth);
            text.push('}');
        }
        Json::Array(items) if !items.is_empty() && is_long => {
            let last = items.len() - 1;
            text.push_str("[\n");
            for (index, value) in items.iter().enumerate() {
                indent(text, depth + 1);
                write(text, value, depth + 1, 0);
                text.push_str(if index == last { "\n" } else { ",\n" });
            }
            indent(text, depth);
            text.push(']');
        }
        _ => text.push_str(&inline),
    }
}

fn indent(text: &mut String, depth: usize) {
    (0..depth).for_each(|_| text.push_str("  "));
}

/// `{ "type": "string" }`
fn inline(json: &Json) -> String {
    match json {
        Json::Object(members) if !members.is_empty() => {
            let all: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{}: {}", Json::from(name.as_str()), inline(value)))
                .collect();
            format!("{{ {} }}", all.join(", "))
        }
        Json::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}
