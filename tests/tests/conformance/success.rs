//! Successful responses of the six operations: status, body, `Location` and `ETag`.

use crud_tests::fixtures::{category, id, product, product_body};
use crud_tests::{on_kitchen, on_shop};
use serde_json::json;

#[test]
fn paginated_list_returns_the_envelope() {
    on_shop(async |shop| {
        product(shop, "Lamp").await;
        let answer = shop.get("/products").await.expect(200);
        assert_eq!(answer.require("content-type"), "application/json");
        let list = answer.into_json();
        let members: Vec<_> = list.as_object().expect("an object").keys().collect();
        assert_eq!(members, ["data", "total", "total_relation", "page", "pages", "limit", "skip"]);
        assert_eq!(list["data"][0]["name"], "Lamp");
        assert_eq!(list["total"], 1);
    });
}

#[test]
fn unpaginated_list_returns_an_array() {
    on_kitchen(async |kitchen| {
        kitchen.post("/bare", &json!({ "name": "one" })).await.created();
        kitchen.post("/bare", &json!({ "name": "two" })).await.created();
        let answer = kitchen.get("/bare").await.expect(200);
        assert_eq!(answer.require("content-type"), "application/json");
        assert_eq!(answer.into_json(), json!([{ "id": 1, "name": "one" }, { "id": 2, "name": "two" }]));
    });
}

#[test]
fn empty_unpaginated_list_returns_an_empty_array() {
    on_kitchen(async |kitchen| assert_eq!(kitchen.get("/bare").await.ok(), json!([])));
}

#[test]
fn record_has_an_etag() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let answer = shop.get(format!("/products/{}", id(&created))).await.expect(200);
        assert_eq!(answer.require("content-type"), "application/json");
        let etag = answer.etag();
        assert!(etag.len() > 2 && etag.starts_with('"') && etag.ends_with('"'), "a strong ETag: {etag}");
        assert_eq!(answer.into_json(), created);
    });
}

#[test]
fn create_returns_201_with_record_location_and_etag() {
    on_shop(async |shop| {
        let category = category(shop, "Lamps").await;
        let answer = shop.post("/products", &product_body(category, "Lamp")).await.expect(201);
        let record = answer.json();
        assert_eq!(answer.require("location"), format!("/products/{}", id(record)));
        assert_eq!(record["name"], "Lamp");
        assert_eq!(record["price"], 9.99);
        assert_eq!(record["category_id"], category);
        let read = shop.get(answer.require("location")).await.expect(200);
        assert_eq!(read.etag(), answer.etag());
        assert_eq!(read.json(), record);
    });
}

#[test]
fn create_applies_defaults() {
    on_shop(async |shop| {
        let order = shop.post("/orders", &json!({ "order_number": "1", "total_price": 5.0 })).await.created();
        assert_eq!(order["status"], "pending");
        assert_eq!(order["deleted_at"], json!(null));
        let category = shop.post("/categories", &json!({ "name": "Lamps" })).await.created();
        assert_eq!(category["description"], json!(null));
    });
}

#[test]
fn assigned_keys_are_never_reused() {
    on_shop(async |shop| {
        let (one, two) = (category(shop, "One").await, category(shop, "Two").await);
        assert!(0 < one && one < two, "{one}, {two}");
        // A kept link to the second record must not lead to another one.
        shop.delete(format!("/categories/{two}")).await.ok();
        assert!(category(shop, "Three").await > two);
    });
}

#[test]
fn put_returns_the_updated_record_with_its_new_etag() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let path = format!("/products/{}", id(&created));
        let before = shop.get(&path).await.etag();
        let answer = shop.put(&path, &json!({ "price": 12.5 })).await.expect(200);
        assert_eq!(answer.json()["price"], 12.5);
        assert_ne!(answer.etag(), before);
        let read = shop.get(&path).await;
        assert_eq!(read.etag(), answer.etag());
        assert_eq!(read.into_json(), answer.into_json());
    });
}

#[test]
fn hard_delete_returns_the_record() {
    on_shop(async |shop| {
        let created = shop.post("/categories", &json!({ "name": "Lamps" })).await.created();
        let path = format!("/categories/{}", id(&created));
        assert_eq!(shop.delete(&path).await.ok(), created);
        shop.get(&path).await.problem("not_found");
        assert_eq!(shop.get("/categories").await.ok()["total"], 0);
    });
}
