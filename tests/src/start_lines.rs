//! The lines that a program logs at its start.

use std::fs;

use crate::backend::Database;
use crate::process::Server;
use crate::wait::wait_until;

/// Targets of lines that come at any time: those that name an index once a statement of a job has used it, and those of statements
/// that are slow on a busy machine.
const AT_ANY_TIME: [&str; 2] = ["crud_runtime::index_use", "crud_runtime::slow_statement"];

/// Starts a program, stops it once it has logged that it listens, and returns the lines of its start, each as `LEVEL text`.
/// `ADDRESS` stands for the address.
///
/// # Panics
/// When the program does not start, or logs no line that it listens.
pub async fn start_lines(program: &str, variables: &[(&str, &str)], database: &Database) -> Vec<String> {
    let log = tempfile::NamedTempFile::new().expect("a log");
    let read = || fs::read_to_string(log.path()).expect("the log");
    let variables = [variables, &[("NO_COLOR", "1")]].concat();
    let file = log.reopen().expect("the log");
    let mut server = Server::start_with_log(program, &variables, database, file).await;
    wait_until("the program logs that it listens", async || read().contains("listening on ")).await;
    let address = server.address().to_string();
    server.signal("INT").await;
    server.ended().await;
    let printed = read();
    let lines = printed.lines().filter_map(line).take_while(|line| !line.starts_with("INFO stopping"));
    lines.map(|line| line.replace(&address, "ADDRESS")).collect()
}

/// A line of the log without its time and its target; `None` for what the program prints otherwise.
fn line(printed: &str) -> Option<String> {
    let (_, rest) = printed.split_once(' ')?;
    let (level, rest) = rest.trim_start().split_once(' ')?;
    let (target, text) = rest.split_once(": ")?;
    let is_line = ["ERROR", "WARN", "INFO"].contains(&level) && !AT_ANY_TIME.contains(&target);
    is_line.then(|| format!("{level} {text}"))
}
