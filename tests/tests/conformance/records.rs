//! The JSON of a record is the same in every response, with fields in declaration order.

use crud_tests::fixtures::{dense, id, product};
use crud_tests::{on_kitchen, on_shop};
use serde_json::{Value, json};

/// Whether a text is an instant in the form of responses, `2026-01-31T23:59:59.000000Z`.
fn is_canonical_instant(text: &str) -> bool {
    let template = "0000-00-00T00:00:00.000000Z";
    text.len() == template.len()
        && text.bytes().zip(template.bytes()).all(|(byte, expected)| match expected {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        })
}

#[test]
fn fields_are_in_declaration_order() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let fields: Vec<_> = created.as_object().expect("an object").keys().collect();
        let declared = [
            "id",
            "name",
            "description",
            "price",
            "stock",
            "category_id",
            "photo",
            "created_at",
            "updated_at",
            "is_deleted",
            "deleted_at",
        ];
        assert_eq!(fields, declared);
    });
}

#[test]
fn shop_records_have_the_specified_fields() {
    on_shop(async |shop| {
        let category = shop.post("/categories", &json!({ "name": "Lamps" })).await.created();
        let order = shop.post("/orders", &json!({ "order_number": "1", "total_price": 1 })).await.created();
        let fields = |record: &Value| record.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
        assert_eq!(fields(&category), ["id", "name", "description"]);
        let of_orders = [
            "id",
            "order_number",
            "product_id",
            "total_price",
            "status",
            "created_at",
            "updated_at",
            "deleted_at",
            "is_deleted",
        ];
        assert_eq!(fields(&order), of_orders);
    });
}

#[test]
fn record_is_identical_in_every_response() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/dense", &dense()).await.expect(201);
        let path = created.require("location").to_owned();
        let bytes = created.body().to_vec();
        assert_eq!(kitchen.get(&path).await.body(), bytes, "read");
        let list = kitchen.get("/dense").await.expect(200);
        let listed = format!(r#""data":[{}]"#, created.text());
        assert!(list.text().contains(&listed), "listed: {listed} in {}", list.text());
        assert_eq!(kitchen.put(&path, created.json()).await.body(), bytes, "updated");
        assert_eq!(kitchen.delete(&path).await.body(), bytes, "deleted");
    });
}

#[test]
fn instants_have_six_digits_and_z() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        for field in ["created_at", "updated_at"] {
            let text = created[field].as_str().expect("a text");
            assert!(is_canonical_instant(text), "{field}: {text}");
        }
    });
}

#[test]
fn created_at_is_the_time_of_creation() {
    on_shop(async |shop| {
        // Canonical texts sort as instants do.
        let now = || crud_runtime::adapter::text::stamp().format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string();
        let before = now();
        let created = product(shop, "Lamp").await;
        let after = now();
        let text = created["created_at"].as_str().expect("a text");
        assert!(before.as_str() <= text && text <= after.as_str(), "{before} <= {text} <= {after}");
    });
}

#[test]
fn etag_changes_with_the_record_only() {
    on_shop(async |shop| {
        let one = format!("/products/{}", id(&product(shop, "One").await));
        let first = shop.get(&one).await.etag();
        assert_eq!(shop.get(&one).await.etag(), first, "the same record twice");
        let other = format!("/products/{}", id(&product(shop, "Two").await));
        assert_ne!(shop.get(&other).await.etag(), first, "another record");
        shop.put(&one, &json!({ "stock": 1 })).await.ok();
        assert_ne!(shop.get(&one).await.etag(), first, "another version");
    });
}
