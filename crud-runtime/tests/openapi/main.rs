//! The OpenAPI document of every field type and option, as a golden file: `CRUD_TEST_UPDATE=1` writes it instead.

mod kitchen;

use std::collections::HashSet;
use std::path::PathBuf;

use crud_runtime::adapter::Capabilities;
use crud_runtime::openapi::{Document, Info};
use serde_json::Value;

fn document(mount: &str) -> Value {
    let info =
        Info { title: "Kitchen sink".to_owned(), version: "1.0.0".to_owned(), description: "What *it* is.".to_owned() };
    serde_json::from_slice(
        &Document::new(&info, &kitchen::resources(), None, false, Capabilities::new().with_transactions()).json(mount),
    )
    .expect("the document is JSON")
}

fn assert_golden(name: &str, document: &Value) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/openapi").join(name);
    let text = format!("{document:#}\n");
    if std::env::var_os("CRUD_TEST_UPDATE").is_some() {
        std::fs::write(&path, &text).expect("the golden file is written");
    }
    let golden = std::fs::read_to_string(&path).expect("the golden file");
    let differs = text.lines().zip(golden.lines()).position(|(ours, golden)| ours != golden);
    if let Some(line) = differs {
        panic!(
            "{name}, line {}: found {:?}, expected {:?}",
            line + 1,
            text.lines().nth(line),
            golden.lines().nth(line)
        );
    }
    assert_eq!(text.len(), golden.len(), "{name} is longer or shorter than the document");
}

/// Every value of a key, at any depth.
fn values_of<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(object) => {
            found.extend(object.get(key));
            object.values().for_each(|value| values_of(value, key, found));
        }
        Value::Array(items) => items.iter().for_each(|item| values_of(item, key, found)),
        _ => {}
    }
}

#[test]
fn document_equals_the_golden_file() {
    assert_golden("kitchen.json", &document(""));
}

#[test]
fn every_reference_resolves() {
    let document = document("");
    let mut references = Vec::new();
    values_of(&document, "$ref", &mut references);
    assert!(references.len() > 100);
    for reference in references {
        let pointer = reference.as_str().and_then(|reference| reference.strip_prefix('#')).expect("a local reference");
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
}

#[test]
fn operation_ids_are_unique() {
    let document = document("");
    let mut ids = Vec::new();
    values_of(&document["paths"], "operationId", &mut ids);
    let distinct: HashSet<_> = ids.iter().map(|id| id.as_str()).collect();
    assert_eq!(distinct.len(), ids.len());
}

#[test]
fn server_is_the_mount_path() {
    assert_eq!(document("")["servers"][0]["url"], "/");
    assert_eq!(document("/api \"v1\"")["servers"][0]["url"], "/api \"v1\"");
}

#[test]
fn disabled_operations_are_not_in_the_document() {
    let document = document("");
    let collection = document["paths"]["/problems"].as_object().expect("the path");
    assert_eq!(collection.keys().collect::<Vec<_>>(), ["get", "post"]);
    assert!(document["paths"].get("/problems/{id}").is_none());
    let schemas = document["components"]["schemas"].as_object().expect("the schemas");
    assert!(schemas.contains_key("kitchen.trouble.ProblemCreate"));
    assert!(!schemas.contains_key("kitchen.trouble.ProblemPatch"));
}

#[test]
fn hidden_field_is_not_in_the_document() {
    assert!(!document("").to_string().contains("secret"));
}
