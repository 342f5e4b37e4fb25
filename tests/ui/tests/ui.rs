//! Compile-fail cases: every mistake in a struct is a compile error that states the legal form. `derive/<topic>.rs` has
//! errors of the derives, `compiler/<topic>.rs` those of the compiler in what they expand to, and `build/<topic>.rs` those
//! that it finds when it makes machine code; each file is beside the compiler's output, and a module is a case.
//!
//! They run with Rust 1.95 (`cargo +1.95.0 test -p crud-ui`) and are skipped with another; `CRUD_TEST_REQUIRE=ui` makes
//! that a failure. `CRUD_TEST_UI=overwrite` writes the outputs.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, thread};

use similar::TextDiff;

/// The compiler version of the recorded output; another version words its own part differently.
const RUST: &str = "1.95.";

/// The compiler of this test and the arguments by which it finds `crud-runtime`, one a line.
const COMPILER: &str = crud_ui_arguments::compiler!();

/// The directory of the cases that are compiled to machine code.
const BUILD: &str = "build";

#[test]
fn mistakes_are_explained() {
    let version = compiler().arg("--version").output().expect("the compiler says its version");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(&format!("rustc {RUST}")) {
        return skip(&format!("the texts beside the cases are those of Rust {RUST}x, and this is {}", version.trim()));
    }
    let cases = [cases("derive"), cases("compiler"), cases(BUILD)].concat();
    let share = cases.len().div_ceil(thread::available_parallelism().map_or(1, usize::from));
    let faults: String = thread::scope(|scope| {
        let compiled = |cases: &[PathBuf]| cases.iter().filter_map(|case| fault(case)).collect::<String>();
        let shares: Vec<_> = cases.chunks(share).map(|cases| scope.spawn(move || compiled(cases))).collect();
        shares.into_iter().map(|share| share.join().expect("the cases are compiled")).collect()
    });
    assert!(faults.is_empty(), "{faults}");
}

/// The files of a directory of this package that are compiled.
fn cases(directory: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory can be read");
    let files = entries.map(|entry| entry.expect("an entry").path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The difference of a file's errors from those beside it, if there is one.
fn fault(case: &Path) -> Option<String> {
    let path = case.with_extension("stderr");
    let Some(found) = errors(case) else { return Some(format!("{} compiles\n", case.display())) };
    if env::var_os("CRUD_TEST_UI").is_some_and(|value| value == "overwrite") {
        fs::write(path, found).expect("the errors can be written");
        return None;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let difference = || TextDiff::from_lines(&expected, &found).unified_diff().to_string();
    (expected != found).then(|| format!("{}\n{}", path.display(), difference()))
}

/// The compiler's errors for a file that it refuses.
fn errors(case: &Path) -> Option<String> {
    let emitted = if case.starts_with(BUILD) { "--emit=obj" } else { "--emit=metadata" };
    let output = compiler()
        .args(["--edition=2024", "--crate-type=lib", emitted, "--allow=dead_code"])
        .args(["--verbose", "--color=never", "--diagnostic-width=140", "--out-dir", env!("CARGO_TARGET_TMPDIR")])
        .arg(case)
        .output()
        .expect("the compiler runs");
    if output.status.success() {
        return None;
    }
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    // The count of the errors, and where their numbers are explained.
    let errors = text.split("\nerror: aborting due to").next().unwrap_or_default();
    // The standard library's source is shown where it is installed.
    let lines = errors.lines().filter(|line| !line.trim_start().starts_with("--> /rustc/"));
    let errors: String = lines.map(|line| without_position(line).to_owned() + "\n").collect();
    // With features that bring `sqlx` or `utoipa`, the compiler says which `Column` or `String` it means.
    let errors = errors.replace("std::string::String", "String");
    let named = ["the trait `", "to implement `"].into_iter();
    Some(named.fold(errors, |errors, words| {
        errors.replace(&format!("{words}crud_runtime::Column`"), &format!("{words}Column`"))
    }))
}

/// A line without a position in the published source, such as `--> crud-runtime/src/query/field.rs:219:4`, which is
/// another after the next change there.
fn without_position(line: &str) -> &str {
    let start =
        ["crud-core/src/", "crud-runtime/src/", "storage/crud-sql/src/"].iter().find_map(|source| line.find(source));
    match start.and_then(|start| Some(start + line[start..].find(".rs:")?)) {
        Some(end) => &line[..end + ".rs".len()],
        None => line,
    }
}

/// The compiler as Cargo calls it, in the directory of this package: it does not find the runtime's source from there,
/// whose lines it would show.
fn compiler() -> Command {
    let mut arguments = COMPILER.lines();
    let mut command = Command::new(arguments.next().expect("a compiler"));
    // Its advice speaks of `Cargo.toml` then.
    command.args(arguments).env("CARGO_CRATE_NAME", "case");
    command
}

/// Reports, past the test runner's capture, that the cases are not compiled.
fn skip(reason: &str) {
    let required = env::var("CRUD_TEST_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|part| part.trim() == "ui"), "CRUD_TEST_REQUIRE names ui, but {reason}");
    // A report that cannot be written is no reason to fail a test.
    writeln!(std::io::stderr(), "SKIPPED: ui: {reason}").ok();
}
