//! The examples of the book's pages, pasted into an empty project.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::project::Project;

const NAME: &str = "generated_pages";

/// Features of the runtime that pages name, beside those of every project.
const FEATURES: [&str; 8] =
    ["auth-issuers", "jobs", "multipart", "postgres", "sqlite-pool", "testing", "time-zones", "utoipa"];

/// Plugins that pages name, and a project lacks, with their features.
const PLUGINS: [(&str, &[&str]); 5] =
    [("crud-admin", &[]), ("crud-events", &["webhooks"]), ("crud-files", &[]), ("crud-mcp", &[]), ("crud-prove", &[])];

/// Other crates that pages name.
const CRATES: &str = r#"
[dependencies.futures-util]
version = "0.3"

[dependencies.serde]
version = "1"
features = ["derive"]

[dependencies.utoipa]
version = "6"

[dependencies.utoipa-axum]
version = "0.3"
default-features = false
"#;

#[test]
fn examples_of_the_book_compile_in_an_empty_project() {
    let project = Project::generate(NAME, &[], &[]);
    if !project.is_compiled() {
        return;
    }
    let features = FEATURES.iter().fold(String::new(), |features, name| features + ", \"" + name + "\"");
    project.edit("Cargo.toml", "\"migrations\"]", &format!("\"migrations\"{features}]"));
    project.edit("Cargo.toml", "rust.warnings = \"deny\"", "rust.dead_code = \"allow\"");
    let manifest = project.root.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).expect("its manifest");
    fs::write(&manifest, text + &plugins() + CRATES).expect("its manifest");
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src");
    let mut program = "#![allow(unused, clippy::all, clippy::pedantic)]\n\nfn main() {}\n".to_owned();
    let mut number = 0;
    for page in pages(&book) {
        for example in examples(&fs::read_to_string(&page).expect("the page")) {
            number += 1;
            let (page, code) = (page.display(), pasted(&example));
            writeln!(program, "\n// {page}\nmod example_{number} {{\n{code}}}").expect("a text takes it");
        }
    }
    assert!(number > 40, "{number} examples are too few");
    fs::write(project.root.join("src/main.rs"), program).expect("the program");
    project.cargo(&["test", "--no-run", "--bin", NAME]).done();
}

/// The lines of the manifest for the plugins.
fn plugins() -> String {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins");
    let lines = PLUGINS.iter().map(|(name, features)| {
        format!("\n[dependencies.{name}]\npath = '{directory}/{name}'\nfeatures = {features:?}\n")
    });
    lines.collect()
}

/// The pages of the book, in the order of their names.
fn pages(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("the book") {
        let path = entry.expect("a file of the book").path();
        if path.is_dir() {
            found.append(&mut pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The examples in Rust, with the lines that a page shows on request.
fn examples(page: &str) -> Vec<String> {
    let mut examples = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```rust").filter(|kind| !kind.contains("ignore")) else { continue };
        assert!(["", ",no_run"].contains(&kind), "{line}");
        let shown = |line: &str| line.strip_prefix("# ").unwrap_or(if line == "#" { "" } else { line }).to_owned();
        let code: Vec<String> = lines.by_ref().take_while(|line| *line != "```").map(shown).collect();
        examples.push(code.join("\n") + "\n");
    }
    examples
}

/// An example as the source of a module: statements are those of a function.
fn pasted(example: &str) -> String {
    let is_program = example.contains("fn main(");
    let has_statements = example.lines().any(|line| line.starts_with("let ") || line.starts_with("assert"));
    if is_program || !has_statements { example.to_owned() } else { format!("fn pasted() {{\n{example}}}\n") }
}
