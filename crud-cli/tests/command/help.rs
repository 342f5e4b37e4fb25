//! `--version`, `--help`, completions, and unknown commands.

use std::fs;
use std::path::Path;

use crate::support::Work;

/// The page of the command.
const PAGE: &str = include_str!("../../../docs/src/reference/command.md");

#[test]
fn the_version_is_printed() {
    assert_eq!(Work::new().crud(&["--version"]).done(), format!("crud {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_command_has_help() {
    let work = Work::new();
    let help = work.crud(&["--help"]).done();
    for command in [
        "init",
        "generate",
        "destroy",
        "add",
        "dev",
        "config",
        "check",
        "openapi",
        "routes",
        "explain",
        "audit",
        "backup",
        "user",
        "import",
        "move",
        "jobs",
        "migrate",
        "completions",
    ] {
        assert!(help.contains(&format!("\n  {command} ")), "{command}: {help}");
        let usage = format!("Usage: crud {command}");
        assert!(work.crud(&[command, "--help"]).done().contains(&usage), "{command}");
        assert!(PAGE.contains(&format!("| `crud {command}")), "{command} is not on the page of the command");
    }
    let help = work.crud(&["migrate", "--help"]).done();
    for task in ["diff", "add", "data", "apply", "status", "revert", "verify", "hash", "rebase"] {
        assert!(help.contains(&format!("\n  {task} ")), "{task}: {help}");
    }
    let help = work.crud(&["jobs", "--help"]).done();
    for task in ["list", "retry", "cancel"] {
        assert!(help.contains(&format!("\n  {task} ")), "{task}: {help}");
    }
    work.crud(&["migrate", "rebase"]).misused();
    assert!(work.crud(&["generate", "--help"]).done().contains("enum(draft|sold) ref(Model)"));
}

#[test]
fn without_a_command_the_usage_is_printed() {
    let said = Work::new().crud(&[]).misused();
    assert!(said.contains("Usage: crud <COMMAND>"), "{said}");
}

#[test]
fn an_unknown_command_is_reported_with_the_nearest_spelling() {
    let said = Work::new().crud(&["generat"]).misused();
    assert!(said.contains("unrecognized subcommand 'generat'") && said.contains("'generate'"), "{said}");
}

#[test]
fn shells_get_completions() {
    let work = Work::new();
    for (shell, sign) in [("bash", "complete -F _crud"), ("zsh", "#compdef crud"), ("fish", "complete -c crud")] {
        let script = work.crud(&["completions", shell]).done();
        assert!(script.contains(sign) && script.contains("soft-delete"), "{shell}");
    }
    work.crud(&["completions", "abacus"]).misused();
}

#[test]
fn output_that_is_not_a_terminal_has_no_colours() {
    let work = Work::new();
    assert!(!work.crud(&["--help"]).done().contains('\u{1b}'));
    assert!(!work.crud(&["config", "--show"]).refused().contains('\u{1b}'));
}

#[test]
fn outside_of_a_project_the_error_names_crud_init() {
    for arguments in [
        &["config", "--show"][..],
        &["check"],
        &["jobs", "list"],
        &["migrate", "status"],
        &["migrate", "rebase", "20261121181559", "--shadow", "sqlite::memory:"],
        &["openapi"],
        &["add", "jobs"],
        &["destroy", "Book"],
        &["dev"],
        &["generate", "--model", "A", "--fields", "a"],
    ] {
        let said = Work::new().crud(arguments).refused();
        assert!(said.starts_with("there is no project here") && said.contains("`crud init`"), "{said}");
    }
}

/// The lines of the shell in the book and the README that call the command. A continued line is one.
fn lines_of_the_book() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut pages, mut directories) = (vec![root.join("README.md")], vec![root.join("docs/src")]);
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(next).expect("the book") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    let mut found = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).expect("the page");
        for rest in text.split("```sh\n").skip(1) {
            let block = rest.split("```").next().unwrap_or_default().replace("\\\n", " ");
            found.extend(block.lines().map(str::trim).filter(|line| line.starts_with("crud ")).map(str::to_owned));
        }
    }
    found
}

/// The words of a line of the shell up to a comment, a redirection or another command. Quotes hold a word together.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in line.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, '#' | '>' | '&' | '|') if word.is_none() => break,
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[test]
fn commands_of_the_book_have_arguments_that_exist() {
    let lines = lines_of_the_book();
    assert!(lines.len() > 40, "{} commands", lines.len());
    let work = Work::new();
    for line in lines {
        let words = words(&line);
        let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        // Outside of a project, `init` alone succeeds. Status 2 is that of arguments that are not understood.
        let said = work.crud(&arguments);
        assert!(matches!(said.code, Some(0 | 1)), "{line}: {said:?}");
    }
}
