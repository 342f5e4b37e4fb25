//! A test waits for events: it neither sleeps nor judges a measured time. `tests/src/wait.rs` does both for all tests, with
//! limits that a busy machine keeps.

use std::fs;
use std::path::{Path, PathBuf};

/// The file that may.
const WAITS: &str = "tests/src/wait.rs";

/// Other files that may, and why.
const EXCEPTIONS: [(&str, &str); 5] = [
    ("plugins/crud-accounts/tests/accounts/timing.rs", "as the times of logins, below"),
    ("plugins/crud-accounts/tests/api_keys/attacks.rs", "as the times of logins, below"),
    ("tests/src/case.rs", "it records and reports the seconds of a case"),
    ("tests/src/times.rs", "it measures the figures that tests print, and gives none to judge"),
    ("tests/tests/auth/timing.rs", "the time of an answer is what leaks: the shortest of many are compared"),
];

/// Directories below which no test runs, or code that is not this repository's.
const SKIPPED: [&str; 5] = ["target", "node_modules", "src", "fuzz", "ui"];

/// Calls that wait for a time, or measure one.
const CALLS: [&str; 3] = ["sleep(", "sleep_until(", "elapsed()"];

/// The numbers of the lines that have such a call, in code and not in a comment.
fn calls(text: &str) -> Vec<usize> {
    let is_call = |line: &str, call: &str| {
        // `pg_sleep(` is another function.
        let begins = |at: usize| !line[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
        line.match_indices(call).any(|(at, _)| begins(at))
    };
    let code = text.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    let has_call = |line: &str| CALLS.iter().any(|call| is_call(line, call));
    (1..).zip(code).filter(|(_, line)| has_call(line)).map(|(number, _)| number).collect()
}

/// The tests of the workspace: every Rust file of the crate `tests`, and of directories of this name elsewhere.
fn tests(root: &Path, directory: &Path, are_tests: bool, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root.join(directory)).expect("the directory can be read") {
        let name = entry.expect("an entry").file_name();
        let path = directory.join(&name);
        if root.join(&path).is_dir() {
            let is_harness = path == Path::new("tests/src");
            if is_harness
                || !SKIPPED.iter().any(|skipped| name == *skipped) && !name.as_encoded_bytes().starts_with(b".")
            {
                tests(root, &path, are_tests || name == "tests", into);
            }
        } else if are_tests && path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn tests_wait_for_events_and_judge_no_times() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    tests(&root, Path::new(""), false, &mut files);
    assert!(files.len() > 200, "{} files", files.len());
    let mut faults = Vec::new();
    for file in &files {
        let calls = calls(&fs::read_to_string(root.join(file)).expect("the file can be read"));
        let file = file.to_str().expect("a path in UTF-8");
        let may = file == WAITS || EXCEPTIONS.iter().any(|(other, _)| file == *other);
        if may && calls.is_empty() {
            faults.push(format!("{file} is an exception without need"));
        } else if !may {
            faults.extend(calls.iter().map(|line| format!("{file}:{line} waits or measures: use {WAITS}")));
        }
    }
    assert_eq!(faults, [""; 0]);
}

#[test]
fn calls_are_found_in_code_alone() {
    let text =
        "sleep(TIME).await;\nSELECT pg_sleep(1)\n// sleep(TIME)\nassert!(begin.elapsed() < TIME);\nthread::sleep(TIME)";
    assert_eq!(calls(text), [1, 4, 5]);
}
