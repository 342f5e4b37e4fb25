//! `crud dev`, with a program in the place of cargo.

use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdout, Stdio};

use crate::support::{Work, command};

/// Prints its task. As `run` it lasts until the command ends; a build fails where the source says so.
const CARGO: &str = r#"#!/bin/sh
echo "cargo $1"
case "$1" in
  build) ! grep -q broken src/main.rs ;;
  run) while kill -0 "$PPID" 2>/dev/null; do sleep 0.1; done ;;
esac
"#;

/// The command, with the lines that it and its programs print.
struct Dev {
    command: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Dev {
    /// The next line that has this text.
    #[track_caller]
    fn says(&mut self, text: &str) {
        let found = self.lines.by_ref().map_while(Result::ok).any(|line| line.contains(text));
        assert!(found, "`{text}` was not printed");
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        self.command.kill().expect("the command is there");
        self.command.wait().expect("it ends");
    }
}

#[test]
fn a_change_of_a_source_builds_and_starts_again() {
    let (work, project) = Work::with_project();
    let cargo = work.path("cargo");
    fs::write(&cargo, CARGO).expect("a program");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("a program that runs");
    let mut child = command(&project).arg("dev").env("CARGO", &cargo).stdout(Stdio::piped()).spawn().expect("it runs");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut dev = Dev { command: child, lines };
    dev.says("cargo run");
    // A database is no source.
    fs::write(project.join("demo.db"), "").expect("a file");
    fs::write(project.join("src/main.rs"), "// broken\n").expect("the file");
    dev.says("crud dev: src/main.rs has changed");
    dev.says("cargo build");
    dev.says("crud dev: the last build serves on, and the next change builds again");
    fs::write(project.join("crud.toml"), "bind = '127.0.0.1:0'\n").expect("the file");
    dev.says("crud.toml has changed");
    fs::write(project.join("src/main.rs"), "// mended\n").expect("the file");
    dev.says("src/main.rs has changed");
    dev.says("cargo run");
}
