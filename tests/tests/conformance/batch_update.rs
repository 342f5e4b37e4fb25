//! Batch updates: each item changes only its own fields, in request order.

use crud_tests::fixtures::{batch, path};
use crud_tests::{Client, audit_log, on_kitchen, on_kitchen_with_transactions};
use serde_json::{Value, json};

/// Creates parcels with these codes.
async fn parcels(kitchen: &Client, codes: &[&str]) -> Vec<Value> {
    let items = codes.iter().map(|code| json!({ "code": code, "weight": 1, "origin": "AT" }));
    let answer = kitchen.post("/parcels/batch", &batch(items)).await.ok();
    answer["items"].as_array().expect("items").clone()
}

#[test]
fn updated_records_are_returned_in_request_order() {
    on_kitchen_with_transactions(async |kitchen| {
        let parcels = parcels(kitchen, &["a", "b", "c"]).await;
        let items = [2, 0, 1].map(|number: usize| json!({ "id": parcels[number]["id"], "weight": number + 10 }));
        let answer = kitchen.put("/parcels/batch", &batch(items)).await.ok();
        let members: Vec<_> = answer.as_object().expect("an object").keys().collect();
        assert_eq!(members, ["updated", "items"]);
        assert_eq!(answer["updated"], 3);
        for (position, number) in [2, 0, 1].into_iter().enumerate() {
            let (item, before) = (&answer["items"][position], &parcels[number]);
            assert_eq!((&item["id"], &item["code"]), (&before["id"], &before["code"]));
            assert_eq!(item["weight"].as_f64(), Some(f64::from(u8::try_from(number + 10).expect("small"))));
            assert!(item["updated_at"].as_str() > before["updated_at"].as_str(), "{item}");
            assert_eq!(kitchen.get(path("/parcels", item)).await.ok(), *item);
        }
    });
}

#[test]
fn each_item_changes_only_its_fields() {
    on_kitchen_with_transactions(async |kitchen| {
        let parcels = parcels(kitchen, &["a", "b", "c", "d"]).await;
        let items = [
            json!({ "id": parcels[0]["id"], "code": "A" }),
            json!({ "id": parcels[1]["id"], "weight": 2.5, "details": "heavy" }),
            json!({ "id": parcels[2]["id"], "team_id": null, "code": "C", "weight": 3 }),
            json!({ "id": parcels[3]["id"], "details": "" }),
        ];
        let answer = kitchen.put("/parcels/batch", &batch(items.clone())).await.ok();
        for (number, item) in items.iter().enumerate() {
            let updated = &answer["items"][number];
            let mut expected = parcels[number].clone();
            for (name, value) in item.as_object().expect("an object") {
                expected[name] = if name == "weight" { json!(value.as_f64()) } else { value.clone() };
            }
            expected["updated_at"] = updated["updated_at"].clone();
            assert_eq!(*updated, expected);
            assert_eq!(kitchen.get(path("/parcels", updated)).await.ok(), *updated);
        }
    });
}

#[test]
fn item_without_changes_is_not_written() {
    on_kitchen_with_transactions(async |kitchen| {
        let parcels = parcels(kitchen, &["a", "b", "c"]).await;
        let items =
            [json!({ "id": parcels[0]["id"] }), json!({ "id": parcels[1]["id"], "weight": 9 }), parcels[2].clone()];
        let answer = kitchen.put("/parcels/batch", &batch(items)).await.ok();
        assert_eq!(answer["updated"], 3);
        assert_eq!((&answer["items"][0], &answer["items"][2]), (&parcels[0], &parcels[2]));
        let entries = audit_log::entries(kitchen, "Parcel").await;
        assert_eq!(audit_log::actions(&entries), ["create", "create", "create", "update"]);
        assert_eq!(entries[3]["entity_id"], parcels[1]["id"]);
    });
}

#[test]
fn empty_batch_succeeds_and_oversized_batch_fails() {
    on_kitchen(async |kitchen| {
        let answer = kitchen.put("/trays/batch", &batch([])).await.ok();
        assert_eq!(answer, json!({ "updated": 0, "items": [] }));
        kitchen.post("/trays", &json!({ "trayCode": "a", "itemCount": 1 })).await.created();
        let item = |code: &str| json!({ "trayCode": code, "itemCount": 2 });
        let too_many = kitchen.put("/trays/batch", &batch(["a", "b", "c", "d"].map(item))).await;
        too_many.problem("batch_too_large");
        assert_eq!(kitchen.get("/trays/a").await.ok()["itemCount"], 1);
    });
}

#[test]
fn batch_update_accepts_every_type_of_key() {
    on_kitchen_with_transactions(async |kitchen| {
        let tray = |code: &str, count: i32| json!({ "trayCode": code, "itemCount": count });
        kitchen.post("/trays/batch", &batch([tray("a", 1), tray("b", 1)])).await.ok();
        let answer = kitchen.put("/trays/batch", &batch([tray("b", 2), tray("a", 3)])).await.ok();
        assert_eq!(answer, json!({ "updated": 2, "items": [tray("b", 2), tray("a", 3)] }));
        let member = kitchen.post("/members", &json!({})).await.created();
        let item = json!({ "id": member["id"], "handle": "ann" });
        let answer = kitchen.put("/members/batch", &batch([item])).await.ok();
        assert_eq!(answer["items"][0], kitchen.get(path("/members", &member)).await.ok());
    });
}

#[test]
fn item_requires_the_key_of_an_existing_record() {
    on_kitchen_with_transactions(async |kitchen| {
        let parcels = parcels(kitchen, &["a", "b"]).await;
        let good = json!({ "id": parcels[0]["id"], "weight": 9 });
        for bad in [json!({ "weight": 1 }), json!({ "id": null }), json!({ "id": "x" }), json!({ "id": 1.5 })] {
            let problem = kitchen.put("/parcels/batch", &batch([good.clone(), bad.clone()])).await;
            assert_eq!(problem.problem("validation_failed").items(), [(1, "/id")], "{bad}");
        }
        let tray = kitchen.put("/trays/batch", &batch([json!({ "itemCount": 1 })])).await;
        assert_eq!(tray.problem("validation_failed").items(), [(0, "/trayCode")]);
        let missing = json!({ "id": 4711, "weight": 1 });
        let problem = kitchen.put("/parcels/batch", &batch([good.clone(), missing])).await.problem("not_found");
        assert_eq!(problem.items(), [(1, "")]);
        assert_eq!(kitchen.get(path("/parcels", &parcels[0])).await.ok(), parcels[0]);
    });
}

#[test]
fn repeated_key_is_rejected() {
    on_kitchen_with_transactions(async |kitchen| {
        let parcels = parcels(kitchen, &["a", "b"]).await;
        let item = |number: usize, weight: i32| json!({ "id": parcels[number]["id"], "weight": weight });
        let items = [item(0, 2), item(1, 2), item(0, 3)];
        kitchen.put("/parcels/batch", &batch(items)).await.problem("validation_failed");
        for parcel in &parcels {
            assert_eq!(kitchen.get(path("/parcels", parcel)).await.ok(), *parcel);
        }
    });
}

#[test]
fn immutable_field_may_repeat_its_value() {
    on_kitchen_with_transactions(async |kitchen| {
        let parcels = parcels(kitchen, &["a", "b"]).await;
        let item = |number: usize, origin: &str| json!({ "id": parcels[number]["id"], "weight": 9, "origin": origin });
        let problem = kitchen.put("/parcels/batch", &batch([item(0, "AT"), item(1, "DE")])).await;
        assert_eq!(problem.problem("validation_failed").items(), [(1, "/origin")]);
        assert_eq!(kitchen.get(path("/parcels", &parcels[0])).await.ok(), parcels[0]);
        assert_eq!(kitchen.put("/parcels/batch", &batch([item(0, "AT"), item(1, "AT")])).await.ok()["updated"], 2);
    });
}

#[test]
fn taken_unique_value_is_a_conflict() {
    on_kitchen_with_transactions(async |kitchen| {
        let parcels = parcels(kitchen, &["a", "b", "c"]).await;
        let item = |number: usize, code: &str| json!({ "id": parcels[number]["id"], "code": code });
        let problem = kitchen.put("/parcels/batch", &batch([item(0, "x"), item(1, "c")])).await.problem("conflict");
        assert_eq!(problem.items(), [(1, "/code")]);
        let problem = kitchen.put("/parcels/batch", &batch([item(0, "x"), item(1, "x")])).await.problem("conflict");
        assert_eq!(problem.items(), [(1, "/code")], "the later item fails");
        for parcel in &parcels {
            assert_eq!(kitchen.get(path("/parcels", parcel)).await.ok(), *parcel);
        }
        assert_eq!(kitchen.put("/parcels/batch", &batch([item(0, "x"), item(1, "a")])).await.ok()["updated"], 2);
    });
}

#[test]
fn soft_deleted_record_is_updated_and_stays_deleted() {
    on_kitchen(async |kitchen| {
        let slip = kitchen.post("/slips", &json!({ "code": "a", "amount": 1 })).await.created();
        let deleted = kitchen.delete(path("/slips", &slip)).await.ok();
        let answer = kitchen.put("/slips/batch", &batch([json!({ "id": slip["id"], "amount": 2 })])).await.ok();
        let item = &answer["items"][0];
        assert_eq!((&item["amount"], &item["deleted_at"]), (&json!(2), &deleted["deleted_at"]));
        kitchen.get(path("/slips", &slip)).await.problem("not_found");
    });
}

#[test]
fn thousand_records_are_updated() {
    on_kitchen_with_transactions(async |kitchen| {
        let codes: Vec<_> = (0..1000).map(|number| number.to_string()).collect();
        let parcels = parcels(kitchen, &codes.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let items = parcels.iter().rev().map(|parcel| json!({ "id": parcel["id"], "details": parcel["code"] }));
        let answer = kitchen.put("/parcels/batch", &batch(items)).await.ok();
        assert_eq!(answer["updated"], 1000);
        let items = answer["items"].as_array().expect("items");
        assert!(items.iter().all(|item| item["details"] == item["code"]), "each item has its value");
        assert!(items.iter().rev().zip(&parcels).all(|(item, parcel)| item["id"] == parcel["id"]), "in order");
        assert_eq!(kitchen.get("/parcels?limit=1000&sort=-id").await.ok()["data"], answer["items"]);
    });
}
