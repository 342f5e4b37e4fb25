//! The lock file of a project.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::contract::Contract;

/// Name of the lock file, in the project's directory.
pub const FILE: &str = "api.lock.json";

/// Fails a test where clients of the locked interface break. The message lists the changes, and says how to keep what
/// clients use. A project without a lock file has no clients yet.
///
/// ```
/// let document = r#"{ "openapi": "3.1.0", "paths": {} }"#;
/// crud_contract::assert_compatible("api.lock.json", document);
/// ```
///
/// # Panics
/// When a change breaks clients, or one of the texts is unreadable.
#[track_caller]
pub fn assert_compatible(file: impl AsRef<Path>, document: &str) {
    let file = file.as_ref();
    let locked = match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return,
        read => read.unwrap_or_else(|error| panic!("{}: {error}", file.display())),
    };
    let locked = Contract::parse(&locked).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let now = Contract::parse(document).unwrap_or_else(|error| panic!("the OpenAPI document: {error}"));
    let changes = locked.changes_to(&now);
    let broken: Vec<String> = changes.breaking().map(|change| format!("- {change}")).collect();
    assert!(
        broken.is_empty(),
        "clients of the interface in {} break; if you mean that, run `crud api lock`\n{}",
        file.display(),
        broken.join("\n")
    );
}
