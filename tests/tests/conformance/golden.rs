//! The shop's whole OpenAPI document, compared with the file in `golden/`. `document_operations` and
//! `document_schemas` state what the kitchen sink's must have, and `refusals` what another one says on storage without
//! transactions.
//!
//! `CRUD_TEST_UPDATE=1` writes the file instead; review the difference like a change of code.

use std::path::Path;
use std::{env, fs};

use crud_tests::{Api, on_each_sql_backend};
use serde_json::{Value, json};

async fn compare(api: &Api, name: &str) {
    let document = api.get("/openapi.json").await.ok();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/golden").join(name);
    if env::var_os("CRUD_TEST_UPDATE").is_some() {
        fs::write(&file, format!("{document:#}\n")).expect("the file is written");
        return;
    }
    let expected = fs::read_to_string(&file).expect("the golden file; CRUD_TEST_UPDATE=1 writes it");
    let expected: Value = serde_json::from_str(&expected).expect("the golden file is JSON");
    if let Some(difference) = difference(&document, &expected, "") {
        panic!("{name}: {difference}");
    }
}

/// The first place in which two values differ; the order of members makes no difference.
fn difference(actual: &Value, expected: &Value, place: &str) -> Option<String> {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            let names = expected.keys().chain(actual.keys().filter(|name| !expected.contains_key(*name)));
            names.into_iter().find_map(|name| match (actual.get(name), expected.get(name)) {
                (Some(actual), Some(expected)) => difference(actual, expected, &format!("{place}/{name}")),
                (None, _) => Some(format!("{place} lacks `{name}`")),
                (Some(found), None) => Some(format!("{place} has `{name}`: {found}")),
            })
        }
        (Value::Array(actual), Value::Array(expected)) if actual.len() == expected.len() => {
            let pairs = actual.iter().zip(expected).enumerate();
            pairs
                .into_iter()
                .find_map(|(index, (actual, expected))| difference(actual, expected, &format!("{place}/{index}")))
        }
        _ => (actual != expected).then(|| format!("{place}: expected {expected}, found {actual}")),
    }
}

#[test]
fn the_first_difference_of_documents_is_found() {
    let of = |actual, expected| difference(&actual, &expected, "");
    assert_eq!(of(json!({ "a": 1, "b": [2] }), json!({ "b": [2], "a": 1 })), None);
    assert_eq!(of(json!({ "b": [2] }), json!({ "b": [3] })).unwrap(), "/b/0: expected 3, found 2");
    assert_eq!(of(json!({ "a": {} }), json!({ "a": { "x": 1 } })).unwrap(), "/a lacks `x`");
    assert_eq!(of(json!({ "a": 1 }), json!({})).unwrap(), " has `a`: 1");
}

#[test]
fn shops_document_equals_the_golden_file() {
    // Storage without subselects refuses more.
    on_each_sql_backend(async |database| {
        let service = shop::open_shop(database.service().await).migrate().await.expect("the shop's tables");
        let shop = Api::start(database, service).await;
        compare(&shop, "shop.json").await;
        shop.stop().await;
    });
}

#[test]
fn document_in_utoipas_model_has_the_same_json() {
    on_each_sql_backend(async |database| {
        let service = shop::open_shop(database.service().await);
        let (model, json) = (service.openapi_document().expect("the model"), service.openapi_json().expect("the JSON"));
        assert_eq!(difference(&serde_json::to_value(model).expect("JSON"), &json, ""), None);
    });
}
