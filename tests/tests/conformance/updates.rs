//! `PUT` and `PATCH` are the same operation, the merge patch of RFC 7396.

use crud_tests::fixtures::{dense, id, product};
use crud_tests::{on_kitchen, on_shop};
use reqwest::Method;
use serde_json::{Value, json};

const UPDATES: [(Method, &str); 3] = [
    (Method::PUT, "application/json"),
    (Method::PATCH, "application/json"),
    (Method::PATCH, "application/merge-patch+json"),
];

#[test]
fn update_changes_only_the_fields_in_the_body() {
    on_shop(async |shop| {
        for (number, (method, media_type)) in UPDATES.into_iter().enumerate() {
            let created = product(shop, &format!("Lamp {number}")).await;
            let path = format!("/products/{}", id(&created));
            let body = json!({ "stock": 99 }).to_string();
            let updated = shop.request(method, &path).body(media_type, body).await.ok();
            let mut expected = created.clone();
            expected["stock"] = json!(99);
            expected["updated_at"] = updated["updated_at"].clone();
            assert_eq!(updated, expected, "{media_type}");
        }
    });
}

#[test]
fn null_clears_an_optional_field() {
    on_shop(async |shop| {
        for (number, (method, media_type)) in UPDATES.into_iter().enumerate() {
            let created = product(shop, &format!("Lamp {number}")).await;
            let path = format!("/products/{}", id(&created));
            shop.put(&path, &json!({ "description": "bright" })).await.ok();
            let body = json!({ "description": null }).to_string();
            let updated = shop.request(method, &path).body(media_type, body).await.ok();
            assert_eq!(updated["description"], Value::Null, "{media_type}");
        }
    });
}

#[test]
fn null_in_a_required_field_is_rejected() {
    on_shop(async |shop| {
        for (number, (method, media_type)) in UPDATES.into_iter().enumerate() {
            let created = product(shop, &format!("Lamp {number}")).await;
            let path = format!("/products/{}", id(&created));
            let body = json!({ "name": null, "stock": 1 }).to_string();
            let problem = shop.request(method, &path).body(media_type, body).await.problem("validation_failed");
            assert_eq!(problem.pointers(), ["/name"], "{media_type}");
            assert_eq!(shop.get(&path).await.ok(), created, "the record changed");
        }
    });
}

#[test]
fn empty_update_returns_the_record() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let path = format!("/products/{}", id(&created));
        assert_eq!(shop.patch(&path, &json!({})).await.ok(), created);
    });
}

#[test]
fn update_sets_updated_at() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        assert_eq!(created["created_at"], created["updated_at"]);
        let updated = shop.put(format!("/products/{}", id(&created)), &json!({ "stock": 5 })).await.ok();
        assert_eq!(updated["created_at"], created["created_at"]);
        assert!(updated["updated_at"].as_str() > created["updated_at"].as_str(), "{created} then {updated}");
    });
}

#[test]
fn update_without_changes_keeps_updated_at_and_etag() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let path = format!("/products/{}", id(&created));
        let before = shop.get(&path).await.etag();
        let same = json!({ "name": "Lamp", "price": 9.99, "description": null });
        let answer = shop.put(&path, &same).await.expect(200);
        assert_eq!(answer.etag(), before);
        assert_eq!(answer.into_json(), created);
        assert_eq!(shop.get(&path).await.ok(), created);
    });
}

#[test]
fn other_notation_of_the_same_value_is_not_a_change() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/dense", &dense()).await.expect(201);
        for (field, spelling) in [
            ("json", json!({ "a": { "deep": true }, "b": [1, 2.5, null] })),
            ("decimal", json!("123.45")),
            ("instant", json!("2026-02-01T01:59:59.123456+02:00")),
            ("uuid", json!("0192F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E0F")),
        ] {
            let updated = kitchen.put(created.require("location"), &json!({ field: spelling })).await.expect(200);
            assert_eq!(updated.etag(), created.etag(), "{field}");
            assert_eq!(updated.body(), created.body(), "{field}");
        }
    });
}

#[test]
fn value_changed_back_is_a_change_each_time() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let path = format!("/products/{}", id(&created));
        let there = shop.put(&path, &json!({ "stock": 4 })).await.ok();
        let back = shop.put(&path, &json!({ "stock": created["stock"] })).await.ok();
        assert_eq!(back["stock"], created["stock"]);
        assert!(back["updated_at"].as_str() > there["updated_at"].as_str(), "{there} then {back}");
    });
}

#[test]
fn update_of_an_unknown_record_is_404() {
    on_shop(async |shop| {
        for (method, media_type) in UPDATES {
            let body = json!({ "stock": 1 }).to_string();
            let problem = shop.request(method, "/products/7").body(media_type, body).await.problem("not_found");
            assert_eq!(problem.detail, "Product with id 7 not found");
        }
        shop.patch("/products/7", &json!({})).await.problem("not_found");
    });
}

#[test]
fn record_can_be_sent_back_unchanged() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let path = format!("/products/{}", id(&created));
        let answer = shop.put(&path, &created).await.expect(200);
        assert_eq!(answer.into_json(), created);
        let order = shop.post("/orders", &json!({ "order_number": "1", "total_price": 5 })).await.created();
        assert_eq!(shop.put(format!("/orders/{}", id(&order)), &order).await.ok(), order);
    });
}
