//! `--version`, `--help`, completions, and unknown commands.

use crate::support::Work;

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
