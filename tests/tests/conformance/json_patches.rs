//! JSON Patch (RFC 6902): operations on a record, with `test` as a guard.

use crud_tests::fixtures::{dense_with, id, product};
use crud_tests::{Client, Request, on_kitchen, on_shop};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

fn patch<'c>(api: &'c Client, path: &str, operations: &Value) -> Request<'c> {
    api.request(Method::PATCH, path).body("application/json-patch+json", operations.to_string())
}

#[test]
fn operations_change_the_fields_that_they_name() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let path = format!("/products/{}", id(&created));
        let operations = json!([
            { "op": "test", "path": "/name", "value": "Lamp" },
            { "op": "replace", "path": "/stock", "value": 99 },
            { "op": "copy", "from": "/name", "path": "/description" },
        ]);
        let answer = patch(shop, &path, &operations).await.expect(200);
        let mut expected = created.clone();
        expected["stock"] = json!(99);
        expected["description"] = json!("Lamp");
        expected["updated_at"] = answer.json()["updated_at"].clone();
        assert_eq!(*answer.json(), expected);
        assert_eq!(answer.etag(), shop.get(&path).await.etag());
        let removed = patch(shop, &path, &json!([{ "op": "remove", "path": "/description" }])).await.ok();
        assert_eq!(removed["description"], Value::Null);
    });
}

#[test]
fn failed_test_changes_nothing() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let path = format!("/products/{}", id(&created));
        let operations = json!([
            { "op": "replace", "path": "/stock", "value": 99 },
            { "op": "test", "path": "/name", "value": "Desk" },
        ]);
        let problem = patch(shop, &path, &operations).await.problem("conflict");
        assert!(problem.detail.contains("`/name`"), "{problem:?}");
        assert_eq!(shop.get(&path).await.ok(), created);
        let price = created["price"].as_f64().expect("a price");
        #[allow(clippy::cast_possible_truncation, reason = "the price is a whole number")]
        let equal = json!([{ "op": "test", "path": "/price", "value": price as i64 }]);
        if price.fract() == 0.0 {
            assert_eq!(
                patch(shop, &path, &equal).await.ok()["price"],
                created["price"],
                "numbers are equal by their values"
            );
        }
    });
}

#[test]
fn result_has_the_rules_of_an_update() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let path = format!("/products/{}", id(&created));
        for (operation, pointer) in [
            (json!({ "op": "replace", "path": "/price", "value": -1 }), "/price"),
            (json!({ "op": "remove", "path": "/name" }), "/name"),
            (json!({ "op": "add", "path": "/nothing", "value": 1 }), "/nothing"),
            (json!({ "op": "replace", "path": "/id", "value": 1_000_000 }), "/id"),
        ] {
            let problem = patch(shop, &path, &json!([operation])).await.problem("validation_failed");
            assert_eq!(problem.pointers(), [pointer], "{operation}");
        }
        for operation in [json!({ "op": "remove", "path": "/tags/7" }), json!({ "op": "jump", "path": "" }), json!(7)] {
            let problem = patch(shop, &path, &json!([operation])).await.problem("validation_failed");
            assert_eq!(problem.pointers(), ["/0"], "{operation}");
        }
        patch(shop, &path, &json!({ "stock": 1 })).await.problem("validation_failed");
        patch(shop, "/products/1000000", &json!([])).await.problem("not_found");
        let put = shop.request(Method::PUT, &path).body("application/json-patch+json", "[]");
        put.await.problem("unsupported_media_type");
        assert_eq!(shop.get(&path).await.ok(), created);
    });
}

#[test]
fn condition_applies_to_the_version_before() {
    on_shop(async |shop| {
        let path = format!("/products/{}", id(&product(shop, "Lamp").await));
        let tag = shop.get(&path).await.etag();
        let operations = json!([{ "op": "replace", "path": "/stock", "value": 1 }]);
        patch(shop, &path, &operations).header("if-match", &tag).await.expect(200);
        patch(shop, &path, &operations).header("if-match", &tag).await.problem("precondition_failed");
    });
}

#[test]
fn patches_of_one_record_at_once_lose_no_item() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/dense", &dense_with("json", json!([]))).await.created();
        let path = format!("/dense/{}", id(&created));
        let add = async |number: i32| {
            let operations = json!([{ "op": "add", "path": "/json/-", "value": number }]);
            while patch(kitchen, &path, &operations).await.status() == 409 {}
        };
        join_all((0..6).map(add)).await;
        let record = kitchen.get(&path).await.ok();
        assert_eq!(record["json"].as_array().map(Vec::len), Some(6), "{record}");
    });
}
