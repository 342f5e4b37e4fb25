//! Inside a crate, a file uses the folders of its floor and of those below. Between crates the compiler holds that.

use std::fs;
use std::path::Path;

use crate::sources::sources;

/// The folders and files at the root of each crate, from the lowest floor up; those of one floor stand together. On a floor
/// that begins with `|`, none uses another.
const CRATES: [(&str, &[&str]); 3] = [
    ("crud-core", &["model", "query", "storage", "response"]),
    ("crud-runtime", &["storage", "store", "auth audit", "http", "service"]),
    (
        "storage/crud-sql",
        &[
            "advice column_names connection_error distinct group_sizes in_order known_engine plan quoted raised replacement shadow slow_statements sql_parts statements text_list wait_queue",
            "catalogue change dialect driver identifier over_sqlx scope search_index statement table_dialect",
            "facts loading pool schema write",
            "adapter connections learning long_lists page_with_total slow_lists transaction transfer",
            "| mysql postgres sqlite",
        ],
    ),
];

/// The imports of a crate that lead up, or across a floor whose parts are apart.
fn faults(source: &Path, floors: &[&str]) -> Vec<String> {
    let floor = |name: &str| floors.iter().position(|floor| floor.split(' ').any(|part| part == name));
    let mut faults = Vec::new();
    for file in sources(source) {
        let path = file.strip_prefix(source).expect("a file of the crate").to_string_lossy().into_owned();
        let here = path.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        let Some(from) = floor(here) else {
            let is_list = ["lib", "prelude", "__private"].contains(&here);
            faults.extend((!is_list).then(|| format!("{path} is on no floor")));
            continue;
        };
        let root = "super::".repeat(path.split('/').filter(|part| *part != "mod.rs").count());
        let text = fs::read_to_string(&file).expect("a file can be read").replace(&root, "crate::");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for rest in line.split("crate::").skip(1) {
                let name = rest.split(|c: char| c != '_' && !c.is_alphanumeric()).next().unwrap_or_default();
                let is_across = |to: usize| to == from && name != here && floors[to].starts_with('|');
                // A group at the root would hide what it imports.
                if name.is_empty() || floor(name).is_some_and(|to| to > from || is_across(to)) {
                    faults.push(format!("{path}: {}", line.trim()));
                }
            }
        }
    }
    faults
}

#[test]
fn no_import_leads_up_the_floors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let all: Vec<_> = CRATES.iter().flat_map(|(name, floors)| faults(&root.join(name).join("src"), floors)).collect();
    assert!(all.is_empty(), "{} imports lead up:\n{}", all.len(), all.join("\n"));
}

#[test]
fn imports_that_lead_up_or_across_are_found() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("a.rs"), "// crate::b\nuse crate::b::B;\nuse crate::a::A;\n").expect("a file");
    fs::write(directory.path().join("b.rs"), "use super::c::C;\nuse crate::{a::A, c};\n").expect("a file");
    fs::write(directory.path().join("d.rs"), "").expect("a file");
    let found = faults(directory.path(), &["a", "| b c"]);
    let expected =
        ["a.rs: use crate::b::B;", "b.rs: use crate::c::C;", "b.rs: use crate::{a::A, c};", "d.rs is on no floor"];
    assert!(found.len() == 4 && expected.iter().all(|fault| found.iter().any(|f| f == fault)), "{found:?}");
}
