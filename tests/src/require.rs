//! Parts of the suite: those that must not be skipped, `CRUD_TEST_REQUIRE`, and those that run on request,
//! `CRUD_TEST_LONG`.

use std::env;
use std::io::Write;
use std::thread;

use crate::backend::Backend;

/// Environment variable: the back ends and parts that must be tested, separated by commas.
pub(crate) const REQUIRE: &str = "CRUD_TEST_REQUIRE";

/// Environment variable: the parts whose long tests run, separated by commas, or [`ALL`].
const LONG: &str = "CRUD_TEST_LONG";

/// Every part's long tests.
const ALL: &str = "all";

/// The parts of the suite that need more than a back end.
const PARTS: [&str; 9] = ["databases", "galera", "issuer", "network", "pgbouncer", "realworld", "s3", "ui", "upgrade"];

/// The parts that have long tests.
const LONG_PARTS: [&str; 9] =
    ["files", "fleet", "generated", "http", "limits", "migrations", "prove", "story", "webhooks"];

/// The required back ends.
///
/// # Panics
/// When a name is unknown.
pub(crate) fn required_backends() -> Vec<Backend> {
    let names = names(REQUIRE).into_iter().filter(|name| !PARTS.contains(&name.as_str()));
    names.map(|name| Backend::named(REQUIRE, &name)).collect()
}

/// Reports, past the test runner's capture, that a part of the suite is skipped.
///
/// # Panics
/// When `CRUD_TEST_REQUIRE` names the part.
pub fn skip(part: &str, reason: &str) {
    assert!(PARTS.contains(&part), "{part} is not one of {PARTS:?}");
    assert!(!names(REQUIRE).iter().any(|name| name == part), "{REQUIRE} names {part}, but {reason}");
    // A report that cannot be written is no reason to fail a test.
    writeln!(std::io::stderr(), "SKIPPED: {part}: {reason}").ok();
}

/// Whether the long tests of a part run: those whose time is the database's or the system's, and which the default run
/// leaves out. Reports, past the test runner's capture, that the current test is skipped otherwise.
///
/// # Panics
/// When `CRUD_TEST_LONG` names an unknown part.
pub fn long(part: &str) -> bool {
    let runs = is_long(part);
    if !runs {
        let test = thread::current().name().unwrap_or("a test").to_owned();
        // A report that cannot be written is no reason to fail a test.
        writeln!(std::io::stderr(), "{test}: SKIPPED: {part}, long tests: {LONG}={part} runs them").ok();
    }
    runs
}

/// Amount of work of a test: the larger one when the part's long tests run.
///
/// # Panics
/// When `CRUD_TEST_LONG` names an unknown part.
pub fn amount<T>(part: &str, default: T, long: T) -> T {
    if is_long(part) { long } else { default }
}

/// Whether `CRUD_TEST_LONG` names a part.
///
/// # Panics
/// When it names an unknown part.
pub(crate) fn is_long(part: &str) -> bool {
    assert!(LONG_PARTS.contains(&part), "{part} is not one of {LONG_PARTS:?}");
    let names = names(LONG);
    if let Some(unknown) = names.iter().find(|name| *name != ALL && !LONG_PARTS.contains(&name.as_str())) {
        panic!("{LONG} names {unknown}, which is neither `{ALL}` nor one of {LONG_PARTS:?}");
    }
    names.iter().any(|name| name == ALL || name == part)
}

fn names(variable: &str) -> Vec<String> {
    let names = env::var(variable).unwrap_or_default();
    names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}
