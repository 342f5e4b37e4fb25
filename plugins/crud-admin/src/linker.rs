//! Linking: the page's modules as one script.
//!
//! The page is written as small ES modules, which browsers load as they are. Served one by one they would be forty requests
//! and half as large again. So the program joins them when it starts: in the order of their imports, without the statements
//! that import and export among themselves. Their names are distinct in all modules, which a test checks.

/// A module: its path, and its text.
pub(crate) type Module = (&'static str, &'static str);

/// The module that every other one imports from.
const VENDOR: &str = "vendor/preact.js";

/// The script of these modules, which begins with `entry`.
pub(crate) fn linked(modules: &[Module], entry: &str) -> String {
    let (mut order, mut vendored) = (Vec::new(), Vec::new());
    visit(modules, entry, &mut order, &mut vendored);
    vendored.sort_unstable();
    vendored.dedup();
    let mut script =
        format!("import * as preact from \"./{VENDOR}\";\nconst {{ {} }} = preact;\n", vendored.join(", "));
    for (_, text) in order {
        for line in body(text) {
            script.push_str(line);
            script.push('\n');
        }
    }
    script
}

/// Adds a module after those that it imports.
fn visit(modules: &[Module], path: &str, order: &mut Vec<Module>, vendored: &mut Vec<&'static str>) {
    let Some(module) = modules.iter().find(|(other, _)| *other == path) else { return };
    if order.iter().any(|(other, _)| *other == path) {
        return;
    }
    for Import { names, from } in imports(module.1) {
        let from = resolved(path, from);
        if from == VENDOR {
            vendored.extend(names);
        } else {
            visit(modules, &from, order, vendored);
        }
    }
    order.push(*module);
}

/// A statement that imports names from a path.
struct Import {
    names: Vec<&'static str>,
    from: &'static str,
}

/// The statements at the head of a module, each on one line.
fn imports(text: &'static str) -> impl Iterator<Item = Import> {
    text.lines().filter_map(|line| {
        let (names, from) = line.strip_prefix("import ")?.split_once(" from \"")?;
        let from = from.strip_suffix("\";")?;
        let listed = names.strip_prefix("{ ").and_then(|names| names.strip_suffix(" }"));
        let names = listed.map(|names| names.split(", ").collect()).unwrap_or_default();
        Some(Import { names, from })
    })
}

/// The path of an import, from the folder of all modules.
fn resolved(path: &str, from: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in from.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The lines of a module without its imports, its comments of whole lines, the word `export`, and indentation, which no
/// text of the page has at the begin of a line.
fn body(text: &'static str) -> impl Iterator<Item = &'static str> {
    let mut is_comment = false;
    text.lines().map(str::trim_start).filter_map(move |line| {
        let begins = line.starts_with("/**");
        let was_comment = is_comment || begins;
        is_comment = was_comment && !line.ends_with("*/");
        if was_comment || line.is_empty() || line.starts_with("//") || line.starts_with("import ") {
            return None;
        }
        if line.starts_with("export {") {
            return None;
        }
        Some(line.strip_prefix("export ").unwrap_or(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULES: &[Module] = &[
        (
            "app.js",
            "// The page.\nimport { html } from \"./vendor/preact.js\";\nimport { word } from \"./ui/word.js\";\nhtml(word);\n",
        ),
        (
            "ui/word.js",
            "import { h, html } from \"../vendor/preact.js\";\n/** A word.\n * It is short. */\nexport const word = h(\n  1);\nexport { html };\n",
        ),
    ];

    #[test]
    fn imported_modules_come_first_without_their_statements() {
        let script = linked(MODULES, "app.js");
        let expected = "import * as preact from \"./vendor/preact.js\";\nconst { h, html } = preact;\nconst word = h(\n1);\n\
                        html(word);\n";
        assert_eq!(script, expected);
    }
}
