//! What must not be skipped: `CRUD_TEST_REQUIRE`.

use std::env;
use std::io::Write;

use crate::backend::Backend;

/// The variable that names, separated by commas, the back ends and parts that must be tested.
pub(crate) const REQUIRE: &str = "CRUD_TEST_REQUIRE";

/// The parts of the suite that need more than a back end.
const PARTS: [&str; 5] = ["galera", "network", "pgbouncer", "realworld", "ui"];

/// The required back ends.
///
/// # Panics
/// When a name is unknown.
pub(crate) fn required_backends() -> Vec<Backend> {
    names().iter().filter(|name| !PARTS.contains(&name.as_str())).map(|name| Backend::named(REQUIRE, name)).collect()
}

/// Reports, past the test runner's capture, that a part of the suite is skipped.
///
/// # Panics
/// When `CRUD_TEST_REQUIRE` names the part.
pub fn skip(part: &str, reason: &str) {
    assert!(PARTS.contains(&part), "{part} is not one of {PARTS:?}");
    assert!(!names().iter().any(|name| name == part), "{REQUIRE} names {part}, but {reason}");
    // A report that cannot be written is no reason to fail a test.
    writeln!(std::io::stderr(), "SKIPPED: {part}: {reason}").ok();
}

/// Environment variable: the parts of the long run that run, separated by commas.
const LONG: &str = "CRUD_TEST_LONG";

/// Whether a part of the long run is to run.
pub(crate) fn is_long(part: &str) -> bool {
    env::var(LONG).is_ok_and(|names| names.split(',').any(|name| name == part))
}

fn names() -> Vec<String> {
    let names = env::var(REQUIRE).unwrap_or_default();
    names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}
