//! Linking: joins the page's modules to one script.
//!
//! The page is written as small ES modules, which browsers can load as they are. Served one by one, they would take
//! forty requests and half as many bytes again. So the program joins them at start, in the order of their imports,
//! without the import and export statements among them. A test checks that names are distinct across all modules.

/// A module: its path, and its text.
pub(crate) type Module = (&'static str, &'static str);

/// The module that every other one imports from.
const VENDOR: &str = "vendor/preact.js";

/// Joins `entry` and all modules that it imports to one script.
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

/// Adds a module to `order`, after the modules that it imports.
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

/// The import statements of a module. Each must be on one line.
fn imports(text: &'static str) -> impl Iterator<Item = Import> {
    text.lines().filter_map(|line| {
        let (names, from) = line.strip_prefix("import ")?.split_once(" from \"")?;
        let from = from.strip_suffix("\";")?;
        let listed = names.strip_prefix("{ ").and_then(|names| names.strip_suffix(" }"));
        let names = listed.map(|names| names.split(", ").collect()).unwrap_or_default();
        Some(Import { names, from })
    })
}

/// The path of an imported module, relative to the folder of all modules.
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

/// The lines of a module without imports, full-line comments, `export` and indentation. No text of the page may depend
/// on indentation.
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
