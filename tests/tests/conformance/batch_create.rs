//! Batch creation: each item equals a single create, up to the maximum size.

use crud_tests::fixtures::{batch, column, path, records};
use crud_tests::{audit_log, on_kitchen, on_kitchen_with_transactions};
use serde_json::{Value, json};

fn parcel(code: &str) -> Value {
    json!({ "code": code, "weight": 1.5 })
}

fn parcels(count: usize) -> Value {
    batch((0..count).map(|number| parcel(&number.to_string())))
}

#[test]
fn created_records_are_returned_in_request_order() {
    on_kitchen_with_transactions(async |kitchen| {
        let codes = ["m", "a", "z", "b"];
        let answer = kitchen.post("/parcels/batch", &batch(codes.map(parcel))).await.ok();
        let members: Vec<_> = answer.as_object().expect("an object").keys().collect();
        assert_eq!(members, ["created", "items"]);
        assert_eq!(answer["created"], 4);
        assert_eq!(column(&answer["items"], "code"), codes);
        for item in records(&answer["items"]) {
            assert_eq!(kitchen.get(path("/parcels", item)).await.ok(), *item);
        }
        assert_eq!(kitchen.get("/parcels").await.ok()["total"], 4);
    });
}

#[test]
fn batch_item_equals_a_single_create() {
    on_kitchen_with_transactions(async |kitchen| {
        let body = json!({ "code": "b", "weight": 2, "origin": "AT", "details": "x", "team_id": null });
        let single = kitchen.post("/parcels", &body).await.created();
        let mut other = body.clone();
        other["code"] = json!("c");
        let answer = kitchen.post("/parcels/batch", &batch([other, parcel("d")])).await.ok();
        let item = &answer["items"][0];
        let fields = |record: &Value| record.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
        assert_eq!(fields(item), fields(&single));
        let same = ["weight", "origin", "details", "team_id"];
        assert_eq!(same.map(|field| item[field].clone()), same.map(|field| single[field].clone()));
        assert_eq!(answer["items"][1]["details"], "", "the default");
        assert_eq!(item["created_at"], item["updated_at"]);
    });
}

#[test]
fn empty_batch_succeeds() {
    on_kitchen(async |kitchen| {
        let answer = kitchen.post("/parcels/batch", &batch([])).await.ok();
        assert_eq!(answer, json!({ "created": 0, "items": [] }));
    });
}

#[test]
fn batch_is_limited_to_a_thousand_items_by_default() {
    on_kitchen_with_transactions(async |kitchen| {
        let too_many = kitchen.post("/parcels/batch", &parcels(1001)).await;
        too_many.problem("batch_too_large");
        assert_eq!(kitchen.get("/parcels").await.ok()["total"], 0);
        let answer = kitchen.post("/parcels/batch", &parcels(1000)).await.ok();
        assert_eq!(answer["created"], 1000);
        let expected: Vec<_> = (0..1000).map(|number| json!(number.to_string())).collect();
        assert_eq!(column(&answer["items"], "code"), expected);
        assert_eq!(kitchen.get("/parcels?limit=1000").await.ok()["data"], answer["items"]);
        assert_eq!(audit_log::entries(kitchen, "Parcel").await.len(), 1000);
    });
}

#[test]
fn max_size_limits_the_batch() {
    on_kitchen_with_transactions(async |kitchen| {
        let tray = |number: i32| json!({ "trayCode": number.to_string(), "itemCount": number });
        kitchen.post("/trays/batch", &batch((0..4).map(tray))).await.problem("batch_too_large");
        assert_eq!(kitchen.get("/trays").await.ok()["total"], 0);
        assert_eq!(kitchen.post("/trays/batch", &batch((0..3).map(tray))).await.ok()["created"], 3);
        // The size is checked before the items.
        let wrong = kitchen.post("/trays/batch", &batch((0..4).map(|_| json!({})))).await;
        wrong.problem("batch_too_large");
    });
}

#[test]
fn document_states_the_maximum_batch_size() {
    on_kitchen_with_transactions(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let resolve = |schema: &Value| match schema["$ref"].as_str() {
            Some(reference) => document.pointer(&reference[1..]).expect("the schema").clone(),
            None => schema.clone(),
        };
        let limit = |path: &str, method: &str, list: &str| {
            let schema = &document["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"];
            resolve(&resolve(schema)["properties"][list])["maxItems"].clone()
        };
        for (prefix, size) in [("/trays", 3), ("/slips", 5), ("/parcels", 1000)] {
            let path = format!("{prefix}/batch");
            assert_eq!(limit(&path, "post", "items"), size, "{prefix}");
            assert_eq!(limit(&path, "put", "items"), size, "{prefix}");
            assert_eq!(limit(&path, "delete", "ids"), size, "{prefix}");
            assert_eq!(limit(&format!("{path}/delete"), "post", "ids"), size, "{prefix}");
        }
    });
}

#[test]
fn text_keys_are_taken_from_items_and_others_assigned() {
    on_kitchen_with_transactions(async |kitchen| {
        let trays = [json!({ "trayCode": "z", "itemCount": 1 }), json!({ "trayCode": "a", "itemCount": 2 })];
        let answer = kitchen.post("/trays/batch", &batch(trays.clone())).await.ok();
        assert_eq!(answer["items"], json!(trays));
        let coupons = kitchen.post("/coupons/batch", &batch([json!({ "worth": 1 }), json!({ "worth": 2 })])).await.ok();
        assert_eq!(column(&coupons["items"], "worth"), [1, 2]);
        assert_ne!(coupons["items"][0]["id"], coupons["items"][1]["id"]);
        for coupon in records(&coupons["items"]) {
            assert_eq!(kitchen.get(path("/coupons", coupon)).await.ok(), *coupon);
        }
    });
}

#[test]
fn reserved_taken_or_repeated_keys_are_rejected() {
    on_kitchen_with_transactions(async |kitchen| {
        let tray = |code: &str| json!({ "trayCode": code, "itemCount": 1 });
        kitchen.post("/trays", &tray("a")).await.created();
        let reserved = kitchen.post("/trays/batch", &batch([tray("b"), tray("batch")])).await;
        assert_eq!(reserved.problem("validation_failed").items(), [(1, "/trayCode")]);
        let taken = kitchen.post("/trays/batch", &batch([tray("b"), tray("a")])).await;
        assert_eq!(taken.problem("conflict").items(), [(1, "/trayCode")]);
        kitchen.post("/trays/batch", &batch([tray("b"), tray("b")])).await.problem("validation_failed");
        let missing = kitchen.post("/trays/batch", &batch([json!({ "itemCount": 1 })])).await;
        assert_eq!(missing.problem("validation_failed").items(), [(0, "/trayCode")]);
        assert_eq!(kitchen.get("/trays").await.ok()["total"], 1);
    });
}

#[test]
fn managed_fields_are_ignored() {
    on_kitchen_with_transactions(async |kitchen| {
        let mut item = parcel("a");
        item["id"] = json!(4711);
        item["created_at"] = json!("1999-12-31T00:00:00Z");
        let mut twin = item.clone();
        twin["code"] = json!("b");
        let answer = kitchen.post("/parcels/batch", &batch([item, twin])).await.ok();
        for item in records(&answer["items"]) {
            assert_ne!(item["id"], 4711);
            assert!(item["created_at"].as_str() > Some("2020"), "{item}");
        }
    });
}

#[test]
fn batch_body_may_exceed_the_limit_of_a_single_body() {
    on_kitchen_with_transactions(async |kitchen| {
        let heavy = |number: i32| json!({ "code": number.to_string(), "weight": 1, "details": "x".repeat(4096) });
        assert_eq!(kitchen.post("/parcels/batch", &batch((0..1000).map(heavy))).await.ok()["created"], 1000);
        let one = |size: usize| json!({ "code": "one", "weight": 1, "details": "x".repeat(size) });
        kitchen.post("/parcels", &one(3 << 20)).await.problem("body_too_large");
        kitchen.post("/parcels/batch", &batch([one(17 << 20)])).await.problem("body_too_large");
        assert_eq!(kitchen.get("/parcels?limit=1").await.ok()["total"], 1000);
    });
}
