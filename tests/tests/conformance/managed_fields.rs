//! Managed fields are ignored in bodies; immutable fields cannot change.

use crud_runtime::prelude::*;
use crud_tests::fixtures::{category, id, product, product_body};
use crud_tests::{Api, on_each_backend, on_kitchen, on_shop};
use serde_json::json;

/// A letter of a collection, whose times are those on it.
#[derive(Debug, Clone, Resource)]
struct Letter {
    id: i64,
    #[crud(created_at(off))]
    created_at: DateTime<Utc>,
    #[crud(updated_at(off))]
    updated_at: Option<DateTime<Utc>>,
}

#[test]
fn times_that_the_struct_leaves_to_clients_are_members_of_bodies() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Letter>().migrate().await.expect("the table");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let time = |year: u32| format!("{year}-12-31T00:00:00.000000Z");
        let missing = api.post("/letters", &json!({})).await.problem("validation_failed");
        assert_eq!(missing.pointers(), ["/created_at"]);
        let letter = api.post("/letters", &json!({ "created_at": time(1799) })).await.created();
        assert_eq!((&letter["created_at"], &letter["updated_at"]), (&json!(time(1799)), &json!(null)));
        let path = format!("/letters/{}", id(&letter));
        let changed = json!({ "created_at": time(1800), "updated_at": time(1801) });
        let changed = api.patch(&path, &changed).await.ok();
        assert_eq!((&changed["created_at"], &changed["updated_at"]), (&json!(time(1800)), &json!(time(1801))));
        // No change of another field changes them.
        assert_eq!(api.patch(&path, &json!({ "updated_at": null })).await.ok()["created_at"], time(1800));
        api.stop().await;
    });
}

#[test]
fn managed_fields_are_ignored_on_create() {
    on_shop(async |shop| {
        let category = category(shop, "Lamps").await;
        let mut body = product_body(category, "Lamp");
        body["id"] = json!(4711);
        body["created_at"] = json!("1999-12-31T00:00:00Z");
        body["updated_at"] = json!("1999-12-31T00:00:00Z");
        let created = shop.post("/products", &body).await.created();
        assert_ne!(created["id"], 4711);
        for field in ["created_at", "updated_at"] {
            assert!(created[field].as_str() > Some("2020"), "{created}");
        }
    });
}

#[test]
fn managed_fields_are_ignored_on_update() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let body = json!({ "created_at": "1999-12-31T00:00:00Z", "updated_at": null, "stock": created["stock"] });
        assert_eq!(shop.put(format!("/products/{}", id(&created)), &body).await.ok(), created);
    });
}

#[test]
fn key_in_a_body_may_repeat_that_of_the_path() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let path = format!("/products/{}", id(&created));
        assert_eq!(shop.put(&path, &json!({ "id": created["id"], "stock": 8 })).await.ok()["stock"], 8);
    });
}

#[test]
fn key_in_a_body_must_not_differ_from_the_path() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        let path = format!("/products/{}", id(&created));
        for other in [json!(id(&created) + 1), json!("x"), json!(null), json!(1.5)] {
            let problem = shop.put(&path, &json!({ "id": other, "stock": 8 })).await.problem("validation_failed");
            assert_eq!(problem.pointers(), ["/id"], "{other}");
        }
        assert_eq!(shop.get(&path).await.ok(), created);
    });
}

#[test]
fn key_in_a_body_is_compared_for_every_type_of_key() {
    on_kitchen(async |kitchen| {
        kitchen.post("/tags", &json!({ "slug": "a" })).await.created();
        kitchen.put("/tags/a", &json!({ "slug": "a", "label": "A" })).await.ok();
        let problem = kitchen.put("/tags/a", &json!({ "slug": "b" })).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/slug"]);

        let device = kitchen.post("/devices", &json!({ "name": "x" })).await.created();
        let path = format!("/devices/{}", device["id"].as_str().expect("a UUID"));
        assert_eq!(kitchen.put(&path, &device).await.ok(), device);
        let other = json!({ "id": "00000000-0000-0000-0000-000000000000" });
        assert_eq!(kitchen.put(&path, &other).await.problem("validation_failed").pointers(), ["/id"]);

        let ticket = kitchen.post("/tickets", &json!({ "shortTitle": "x" })).await.created();
        let path = format!("/tickets/{}", ticket["ticketId"]);
        assert_eq!(kitchen.put(&path, &ticket).await.ok(), ticket);
        let problem = kitchen.put(&path, &json!({ "ticketId": 99 })).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/ticketId"]);
    });
}

#[test]
fn immutable_field_may_repeat_its_value() {
    on_kitchen(async |kitchen| {
        let body = json!({ "name": "x", "password": "long enough", "country": "AT" });
        let created = kitchen.post("/accounts", &body).await.created();
        let path = format!("/accounts/{}", id(&created));
        let same = json!({ "name": "y", "country": "AT", "referrer": null });
        let updated = kitchen.put(&path, &same).await.ok();
        assert_eq!((&updated["name"], &updated["country"]), (&json!("y"), &json!("AT")));
    });
}

#[test]
fn immutable_field_cannot_change() {
    on_kitchen(async |kitchen| {
        let body = json!({ "name": "x", "password": "long enough", "country": "AT" });
        let created = kitchen.post("/accounts", &body).await.created();
        let path = format!("/accounts/{}", id(&created));
        let other = json!({ "name": "y", "country": "DE", "referrer": "z" });
        let problem = kitchen.put(&path, &other).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/country", "/referrer"]);
        assert_eq!(kitchen.get(&path).await.ok(), created);
    });
}
