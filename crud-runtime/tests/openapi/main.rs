//! The OpenAPI document of every kind of field and option, as a golden file: `CRUD_TEST_UPDATE=1` writes it instead.

mod kitchen;

use std::collections::HashSet;
use std::path::PathBuf;

use crud_runtime::openapi::{Document, Info};
use serde_json::Value;

fn document(mount: &str) -> Value {
    let info =
        Info { title: "Kitchen sink".to_owned(), version: "1.0.0".to_owned(), description: "What *it* is.".to_owned() };
    serde_json::from_slice(&Document::new(&info, &kitchen::resources(), None, false).json(mount))
        .expect("the document is JSON")
}

fn assert_golden(name: &str, document: &Value) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/openapi").join(name);
    let text = format!("{document:#}\n");
    if std::env::var_os("CRUD_TEST_UPDATE").is_some() {
        std::fs::write(&path, &text).expect("the golden file can be written");
    }
    let golden = std::fs::read_to_string(&path).expect("the golden file is there");
    let differs = text.lines().zip(golden.lines()).position(|(ours, golden)| ours != golden);
    if let Some(line) = differs {
        panic!("{name}, line {}: {:?}, not {:?}", line + 1, text.lines().nth(line), golden.lines().nth(line));
    }
    assert_eq!(text.len(), golden.len(), "{name} is longer or shorter than the document");
}

/// Every value under a key, at any depth.
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
fn the_document_is_the_golden_one() {
    assert_golden("kitchen.json", &document(""));
}

#[test]
fn every_reference_leads_somewhere() {
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
fn no_two_operations_share_an_id() {
    let document = document("");
    let mut ids = Vec::new();
    values_of(&document["paths"], "operationId", &mut ids);
    let distinct: HashSet<_> = ids.iter().map(|id| id.as_str()).collect();
    assert_eq!(distinct.len(), ids.len());
}

#[test]
fn the_server_is_where_the_service_is_mounted() {
    assert_eq!(document("")["servers"][0]["url"], "/");
    assert_eq!(document("/api \"v1\"")["servers"][0]["url"], "/api \"v1\"");
}

#[test]
fn what_a_resource_does_not_offer_is_not_there() {
    let document = document("");
    let collection = document["paths"]["/problems"].as_object().expect("the path is there");
    assert_eq!(collection.keys().collect::<Vec<_>>(), ["get", "post"]);
    assert!(document["paths"].get("/problems/{id}").is_none());
    let schemas = document["components"]["schemas"].as_object().expect("there are schemas");
    assert!(schemas.contains_key("kitchen.trouble.ProblemCreate"));
    assert!(!schemas.contains_key("kitchen.trouble.ProblemPatch"));
}

#[test]
fn a_hidden_field_is_nowhere() {
    assert!(!document("").to_string().contains("secret"));
}
