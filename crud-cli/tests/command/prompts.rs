//! The questions of the command on a terminal.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use nix::pty::openpty;
use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};

use crate::support::{Work, command, said};

/// Runs the command on a new terminal, types these lines, and returns what the terminal showed.
fn on_terminal(directory: &Path, arguments: &[&str], typed: &str) -> (ExitStatus, String) {
    run_on_terminal(command(directory).args(arguments), typed)
}

fn run_on_terminal(command: &mut Command, typed: &str) -> (ExitStatus, String) {
    let terminal = openpty(None, None).expect("a terminal");
    // Without echo: what is typed ahead would be shown in the middle of a question.
    let mut settings = tcgetattr(&terminal.slave).expect("its settings");
    settings.local_flags.remove(LocalFlags::ECHO);
    tcsetattr(&terminal.slave, SetArg::TCSANOW, &settings).expect("a terminal without echo");
    let end = || terminal.slave.try_clone().expect("its other end");
    command.env("TERM", "xterm").env_remove("NO_COLOR");
    let mut child = command.stdin(end()).stdout(end()).stderr(end()).spawn().expect("the command runs");
    // Reading ends when the last of these is closed.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    drop(terminal.slave);
    let mut master = File::from(terminal.master);
    master.write_all(typed.as_bytes()).expect("the terminal takes it");
    let mut shown = Vec::new();
    // Reading a terminal whose other end is closed is an error, not the end.
    let _ = master.read_to_end(&mut shown);
    (child.wait().expect("the command ends"), String::from_utf8(shown).expect("UTF-8"))
}

#[test]
fn init_asks_for_the_name() {
    let work = Work::new();
    let (status, shown) = on_terminal(&work.path(""), &["init"], "demo\n\n\n");
    assert!(status.success(), "{shown}");
    assert!(shown.contains("Project name, such as my_shop:") && shown.contains("created at"), "{shown}");
    assert!(work.path("demo/Cargo.toml").is_file());
}

#[test]
fn init_asks_for_the_database_and_for_authentication() {
    let work = Work::new();
    let (status, shown) = on_terminal(&work.path(""), &["init"], "demo\npostgre\npostgres\nmaybe\ny\n");
    assert!(status.success(), "{shown}");
    for text in [
        "Database (sqlite, postgres, mysql, mongodb) [sqlite]:",
        "there is no `postgre`: did you mean `postgres`?",
        "Do clients log in? (yes, no) [no]:",
        "expected `yes` or `no`, found `maybe`",
        "Next:",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    let manifest = fs::read_to_string(work.path("demo/Cargo.toml")).expect("the manifest");
    assert!(manifest.contains("\"postgres\"]"), "{manifest}");
    assert!(fs::read_to_string(work.path("demo/src/main.rs")).expect("the file").contains("run_with_auth"));
    // The end of the input is the default, and what an option says is not asked for.
    let (status, shown) = on_terminal(&work.path(""), &["init", "--name", "other", "--database", "sqlite"], "\u{4}");
    assert!(status.success() && !shown.contains("Database"), "{shown}");
    assert!(!fs::read_to_string(work.path("other/src/main.rs")).expect("the file").contains("run_with_auth"));
}

#[test]
fn a_question_is_repeated_after_an_invalid_answer() {
    let work = Work::new();
    let (status, shown) = on_terminal(&work.path(""), &["init"], "1st\ndemo\n\n\n");
    assert!(status.success(), "{shown}");
    assert_eq!(shown.matches("Project name, such as my_shop:").count(), 2, "{shown}");
    assert!(shown.contains("`1st` is not a valid crate name"), "{shown}");
    assert!(work.path("demo/Cargo.toml").is_file());
}

#[test]
fn generate_asks_for_the_model_and_its_fields() {
    let (_work, project) = Work::with_project();
    let (status, shown) = on_terminal(&project, &["generate"], "Book\ntitle:str,pages:int\n");
    assert!(status.success(), "{shown}");
    let questions = [
        "Model name, such as Book:",
        "Fields, such as title:str, pages:int, isbn:str?!:",
        "generated in src/resources/book.rs",
    ];
    let mut rest = shown.as_str();
    for question in questions {
        rest = rest.split_once(question).unwrap_or_else(|| panic!("{question} in {shown}")).1;
    }
    assert!(project.join("src/resources/book.rs").is_file());
    let (status, shown) = on_terminal(&project, &["generate", "--model", "Shelf"], "name\n");
    assert!(status.success() && !shown.contains("Model name"), "{shown}");
}

#[test]
fn generate_offers_to_add_fields_to_a_model_that_exists() {
    let (_work, project) = Work::with_project();
    let arguments = |fields| ["generate", "--model", "Book", "--fields", fields];
    on_terminal(&project, &arguments("title"), "");
    let file = || fs::read_to_string(project.join("src/resources/book.rs")).expect("the file");
    let before = file();
    let (status, shown) = on_terminal(&project, &arguments("title,pages:int"), "no\n");
    assert!(!status.success() && shown.contains("exists with other contents"), "{shown}");
    assert_eq!(file(), before);
    let (status, shown) = on_terminal(&project, &arguments("title,pages:int"), "\n");
    assert!(status.success() && shown.contains("Book exists: add pages? (yes, no) [yes]:"), "{shown}");
    assert_eq!(file(), before.replace("    pub title: String,\n", "    pub title: String,\n    pub pages: i64,\n"));
}

#[test]
fn the_end_of_the_input_is_an_error() {
    let work = Work::new();
    let (status, shown) = on_terminal(&work.path(""), &["init"], "\u{4}");
    assert_eq!(status.code(), Some(1));
    assert!(shown.contains("nothing was entered for `--name`"), "{shown}");
}

#[test]
fn output_on_a_terminal_has_colours() {
    let (_work, project) = Work::with_project();
    let (_, shown) = on_terminal(&project, &["generate", "--model", "A", "--fields", "b", "--dry-run"], "");
    assert!(shown.contains("\u{1b}[32m+pub mod a;\u{1b}[0m"), "{shown:?}");
    let (status, shown) = on_terminal(&project, &["generate", "--model", "a", "--fields", "b"], "");
    assert_eq!(status.code(), Some(1));
    assert!(shown.contains("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m"), "{shown:?}");
}

#[test]
fn a_build_shows_its_progress_to_a_terminal_alone() {
    let (work, project) = Work::with_project();
    let cargo = work.path("cargo");
    fs::write(&cargo, "#!/bin/sh\necho \"cargo $*\"\n").expect("a program");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("a program that runs");
    let check = || {
        let mut check = command(&project);
        check.arg("check").env("CARGO", &cargo);
        check
    };
    assert_eq!(said(&mut check()).done(), "cargo run --quiet -- check\n");
    let (status, shown) = run_on_terminal(&mut check(), "");
    assert!(status.success() && shown.contains("cargo run -- check"), "{shown}");
}

#[test]
fn destroy_asks_before_it_removes() {
    let (_work, project) = Work::with_project();
    on_terminal(&project, &["generate", "--model", "Book", "--fields", "title"], "");
    let file = project.join("src/resources/book.rs");
    let (status, shown) = on_terminal(&project, &["destroy", "Book"], "\n");
    assert!(!status.success() && shown.contains("nothing is removed"), "{shown}");
    assert!(
        shown.contains("This removes src/resources/book.rs, its tests and its routes. Remove Book? (yes, no) [no]:")
    );
    assert!(file.is_file());
    let (status, shown) = on_terminal(&project, &["destroy", "Book"], "yes\n");
    assert!(status.success() && !file.exists(), "{shown}");
}
