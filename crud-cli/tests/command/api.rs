//! `crud api`: the lock of an interface, whose document a cargo of the test prints.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::{Said, Work, command, said};

/// A document with a route whose records have these fields.
fn document(fields: &str) -> String {
    format!(
        r#"{{"openapi":"3.1.0","paths":{{"/books":{{"get":{{"responses":{{"200":{{"content":{{"application/json":
        {{"schema":{{"type":"object","properties":{{{fields}}}}}}}}}}}}}}}}}}}}}"#
    )
}

/// Runs `crud api` in a project whose program prints a document.
fn api(project: &Path, document: &str, arguments: &[&str]) -> Said {
    let cargo = project.join("target-cargo");
    fs::write(&cargo, format!("#!/bin/sh\ncat <<'END'\n{document}\nEND\n")).expect("a file");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("a program");
    let mut crud = command(project);
    crud.env("CARGO", cargo).arg("api").args(arguments);
    said(&mut crud)
}

#[test]
fn removed_field_fails_the_comparison_and_a_new_one_does_not() {
    let (_work, project) = Work::with_project();
    let (id, title) = (r#""id":{"type":"integer"}"#, r#""title":{"type":"string"}"#);
    let both = document(&format!("{id},{title}"));
    let missing = api(&project, &both, &["diff"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.contains("`crud api lock` writes the interface"), "{missing:?}");
    let locked = api(&project, &both, &["lock"]).done();
    assert_eq!(locked, "api.lock.json is written. Routes: 1. Commit it: `cargo test` compares with it.\n");
    assert_eq!(api(&project, &both, &["diff"]).done(), "The interface is the locked one.\n");
    let fewer = api(&project, &document(id), &["diff"]);
    assert_eq!(fewer.code, Some(1));
    assert!(fewer.out.contains("the field `title` is removed") && fewer.out.contains("`crud api lock`"), "{fewer:?}");
    let more = document(&format!(r#"{id},{title},"pages":{{"type":"integer"}}"#));
    assert!(api(&project, &more, &["diff"]).done().contains("the field `pages` is new"));
    fs::write(project.join("live.json"), &more).expect("a file");
    let against = api(&project, &both, &["diff", "--against", "live.json"]);
    assert!(against.code == Some(1) && against.out.contains("the field `pages` is removed"), "{against:?}");
}
