//! The audit entry of each kind of change.

use crud_tests::fixtures::{batch, ids, path};
use crud_tests::{
    Client, Stored, audit_log, on_kitchen, on_kitchen_with_database, on_kitchen_with_sql, on_kitchen_with_transactions,
};
use reqwest::Method;
use serde_json::{Value, json};

async fn ledger(kitchen: &Client, name: &str) -> Value {
    kitchen.post("/ledgers", &json!({ "name": name })).await.created()
}

/// The entries of all ledgers.
async fn entries(kitchen: &Client) -> Vec<Value> {
    audit_log::entries(kitchen, "Ledger").await
}

/// The names of an entry's members.
fn members(entry: &Value) -> Vec<&str> {
    entry.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn create_records_the_whole_record() {
    on_kitchen(async |kitchen| {
        let created = ledger(kitchen, "a").await;
        let entries = entries(kitchen).await;
        let [entry] = entries.as_slice() else { panic!("one entry: {entries:?}") };
        assert!(entry["id"].is_i64(), "{entry}");
        let expected = json!({
            "id": entry["id"],
            "entity_type": "Ledger",
            "entity_id": created["id"],
            "action": "create",
            "user_id": null,
            "actor": null,
            "changes": created,
            "timestamp": created["created_at"],
        });
        assert_eq!(*entry, expected);
    });
}

#[test]
fn update_records_changes_and_previous_values() {
    on_kitchen(async |kitchen| {
        let created = ledger(kitchen, "a").await;
        let body = json!({ "name": "b", "ratio": null, "amount": "5", "balance": 7 });
        let updated = kitchen.put(path("/ledgers", &created), &body).await.ok();
        let entries = entries(kitchen).await;
        assert_eq!(audit_log::actions(&entries), ["create", "update"]);
        let changes = json!({ "name": "b", "amount": "5.00", "updated_at": updated["updated_at"] });
        let previous = json!({ "name": "a", "amount": null, "updated_at": created["updated_at"] });
        let entry = &entries[1];
        assert_eq!((&entry["changes"], &entry["previous"]), (&changes, &previous));
        assert_eq!(entry["timestamp"], updated["updated_at"]);
        assert_eq!(entry["entity_id"], created["id"]);
    });
}

#[test]
fn update_without_changes_has_no_entry() {
    on_kitchen(async |kitchen| {
        let created = ledger(kitchen, "a").await;
        let path = path("/ledgers", &created);
        kitchen.put(&path, &json!({ "name": "a" })).await.ok();
        kitchen.patch(&path, &json!({})).await.ok();
        kitchen.put(&path, &created).await.ok();
        assert_eq!(audit_log::actions(&entries(kitchen).await), ["create"]);
    });
}

#[test]
fn soft_delete_restore_and_purge_record_previous_values() {
    on_kitchen(async |kitchen| {
        let created = ledger(kitchen, "a").await;
        let path = path("/ledgers", &created);
        let deleted = kitchen.delete(&path).await.ok();
        kitchen.request(Method::POST, format!("{path}/restore")).await.ok();
        let again = kitchen.delete(&path).await.ok();
        kitchen.delete(format!("{path}/permanent")).await.ok();
        let entries = entries(kitchen).await;
        assert_eq!(audit_log::actions(&entries), ["create", "soft_delete", "restore", "soft_delete", "delete"]);
        assert!(entries[1..].iter().all(|entry| entry.get("changes").is_none()), "{entries:?}");
        assert_eq!((&entries[1]["previous"], &entries[1]["timestamp"]), (&created, &deleted["deleted_at"]));
        assert_eq!(entries[2]["previous"], json!({ "is_deleted": true, "deleted_at": deleted["deleted_at"] }));
        assert_eq!((&entries[3]["previous"], &entries[3]["timestamp"]), (&created, &again["deleted_at"]));
        assert_eq!(entries[4]["previous"], again);
        assert!(entries.is_sorted_by(|one, next| one["timestamp"].as_str() <= next["timestamp"].as_str()));
    });
}

#[test]
fn hard_delete_records_the_record() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/parcels", &json!({ "code": "a", "weight": 1 })).await.created();
        kitchen.delete(path("/parcels", &created)).await.ok();
        let entries = audit_log::entries(kitchen, "Parcel").await;
        assert_eq!(audit_log::actions(&entries), ["create", "delete"]);
        let of_delete = ["id", "entity_type", "entity_id", "action", "user_id", "actor", "previous", "timestamp"];
        assert_eq!(members(&entries[1]), of_delete);
        assert_eq!(entries[1]["previous"], created);
    });
}

#[test]
fn update_that_restores_has_one_entry() {
    on_kitchen(async |kitchen| {
        kitchen.post("/drafts", &json!({ "slug": "a", "wordCount": 1 })).await.created();
        let deleted = kitchen.delete("/drafts/a").await.ok();
        let updated = kitchen.put("/drafts/a", &json!({ "wordCount": 2 })).await.ok();
        let entries = audit_log::entries(kitchen, "Draft").await;
        assert_eq!(audit_log::actions(&entries), ["create", "soft_delete", "update"]);
        let fields = ["wordCount", "touchedAt", "removedAt", "isDeleted"];
        let of = |record: &Value| Value::from_iter(fields.map(|field| (field, record[field].clone())));
        assert_eq!((&entries[2]["changes"], &entries[2]["previous"]), (&of(&updated), &of(&deleted)));
        assert_eq!(entries[2]["entity_id"], "a");
    });
}

#[test]
fn update_of_a_soft_deleted_record_is_an_update() {
    on_kitchen(async |kitchen| {
        let path = path("/ledgers", &ledger(kitchen, "a").await);
        kitchen.delete(&path).await.ok();
        let updated = kitchen.put(&path, &json!({ "name": "b" })).await.ok();
        let entries = entries(kitchen).await;
        assert_eq!(audit_log::actions(&entries), ["create", "soft_delete", "update"]);
        let states = audit_log::replay(&entries).expect("a consistent log");
        assert_eq!(states.values().next().expect("one record"), &Some(updated));
    });
}

#[test]
fn batch_has_an_entry_for_each_record_in_order() {
    on_kitchen_with_transactions(async |kitchen| {
        let items = ["b", "a", "c"].map(|name| json!({ "name": name }));
        let created = kitchen.post("/ledgers/batch", &batch(items)).await.ok()["items"].clone();
        let created = created.as_array().expect("items");
        let items = created.iter().rev().map(|item| json!({ "id": item["id"], "amount": "1" }));
        let updated = kitchen.put("/ledgers/batch", &batch(items)).await.ok()["items"].clone();
        let updated = updated.as_array().expect("items");
        kitchen.request(Method::DELETE, "/ledgers/batch").json(&ids(created)).await.ok();
        let entries = entries(kitchen).await;
        assert_eq!(audit_log::actions(&entries[..3]), ["create"; 3]);
        assert_eq!(audit_log::actions(&entries[3..6]), ["update"; 3]);
        assert_eq!(audit_log::actions(&entries[6..]), ["soft_delete"; 3]);
        for (entry, record) in entries.iter().zip(created) {
            assert_eq!((&entry["changes"], &entry["timestamp"]), (record, &record["created_at"]));
        }
        for ((entry, record), before) in entries[3..].iter().zip(updated).zip(created.iter().rev()) {
            assert_eq!(entry["entity_id"], record["id"]);
            assert_eq!(entry["changes"], json!({ "amount": "1.00", "updated_at": record["updated_at"] }));
            assert_eq!(entry["previous"], json!({ "amount": null, "updated_at": before["updated_at"] }));
        }
        for (entry, record) in entries[6..].iter().zip(updated.iter().rev()) {
            assert_eq!(entry["previous"], *record);
        }
        let numbers: Vec<_> = entries.iter().map(|entry| entry["id"].as_i64()).collect();
        assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    });
}

#[test]
fn restore_and_purge_of_several_records_have_an_entry_for_each() {
    on_kitchen_with_transactions(async |kitchen| {
        let mut deleted = Vec::new();
        for name in ["a", "b", "c"] {
            let path = path("/ledgers", &ledger(kitchen, name).await);
            deleted.push(kitchen.delete(path).await.ok());
        }
        kitchen.request(Method::POST, "/ledgers/restore?name__in=a,b").await.ok();
        let entries_of_restore = entries(kitchen).await.split_off(6);
        assert_eq!(audit_log::actions(&entries_of_restore), ["restore"; 2]);
        for record in &deleted[..2] {
            let of_record = entries_of_restore.iter().find(|entry| entry["entity_id"] == record["id"]);
            let entry = of_record.expect("an entry for each record");
            assert_eq!(entry["previous"], json!({ "is_deleted": true, "deleted_at": record["deleted_at"] }));
        }
        kitchen.post("/ledgers/restore", &ids(&deleted)).await.ok();
        for record in &deleted {
            kitchen.delete(path("/ledgers", record)).await.ok();
        }
        let before = kitchen.get("/ledgers?only_deleted=true").await.ok()["data"].clone();
        kitchen.delete("/ledgers/deleted?all=true").await.ok();
        let entries = entries(kitchen).await;
        let of_purge = &entries[entries.len() - 3..];
        assert_eq!(audit_log::actions(of_purge), ["delete"; 3]);
        let mut previous: Vec<_> = of_purge.iter().map(|entry| entry["previous"].clone()).collect();
        previous.sort_by_key(|record| record["id"].as_i64());
        assert_eq!(json!(previous), before);
        assert!(audit_log::replay(&entries).expect("a consistent log").values().all(Option::is_none));
    });
}

#[test]
fn rejected_change_has_no_entry() {
    on_kitchen(async |kitchen| {
        kitchen.post("/parcels", &json!({ "code": "a", "weight": 1 })).await.created();
        let other = kitchen.post("/parcels", &json!({ "code": "b", "weight": 1 })).await.created();
        kitchen.post("/stamps", &json!({ "parcel_id": other["id"] })).await.created();
        let path = path("/parcels", &other);
        kitchen.post("/parcels", &json!({ "code": "a", "weight": 1 })).await.expect(409);
        kitchen.post("/parcels", &json!({ "code": "c", "weight": -1 })).await.expect(422);
        kitchen.put(&path, &json!({ "code": "a" })).await.expect(409);
        kitchen.put(&path, &json!({ "weight": 2 })).header("if-match", "\"other\"").await.expect(412);
        kitchen.delete(&path).await.problem("referenced");
        kitchen.delete("/parcels/4711").await.expect(404);
        assert_eq!(audit_log::actions(&audit_log::entries(kitchen, "Parcel").await), ["create"; 2]);
        let path = crud_tests::fixtures::path("/ledgers", &ledger(kitchen, "a").await);
        kitchen.request(Method::POST, format!("{path}/restore")).await.problem("not_deleted");
        kitchen.delete(format!("{path}/permanent")).await.problem("not_deleted");
        assert_eq!(audit_log::actions(&entries(kitchen).await), ["create"]);
    });
}

#[test]
fn logged_values_equal_those_of_the_record() {
    on_kitchen(async |kitchen| {
        let body = json!({
            "name": "Grüße", "amount": "1234.5", "ratio": 0.1, "seal": "AAEC/w==",
            "extra": { "b": [1, null, { "c": "d" }], "a": 2.5 }, "due": "2026-01-31T23:59:59.5+01:00",
            "day": "2026-01-31", "tags": ["x", "y, z"], "priority": "High",
        });
        let created = kitchen.post("/ledgers", &body).await.created();
        let path = path("/ledgers", &created);
        let cleared = json!({
            "amount": null, "ratio": null, "seal": null, "extra": null, "due": null, "day": null, "tags": null,
            "priority": "Low",
        });
        let updated = kitchen.put(&path, &cleared).await.ok();
        let back = kitchen.put(&path, &body).await.ok();
        kitchen.delete(&path).await.ok();
        let entries = entries(kitchen).await;
        assert_eq!(entries[0]["changes"], created);
        let changed: Vec<_> = entries[1]["changes"].as_object().expect("an object").keys().collect();
        let declared = ["amount", "ratio", "seal", "extra", "due", "day", "tags", "priority", "updated_at"];
        assert_eq!(changed, declared);
        for field in declared {
            assert_eq!(entries[1]["previous"][field], created[field], "{field}");
            assert_eq!(entries[1]["changes"][field], updated[field], "{field}");
            assert_eq!(entries[2]["changes"][field], back[field], "{field}");
        }
        assert_eq!(entries[3]["previous"], back);
    });
}

#[test]
fn equal_json_is_not_a_change() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a", "extra": { "a": 1, "b": 2 } })).await.created();
        let path = path("/ledgers", &created);
        assert_eq!(kitchen.put(&path, &json!({ "extra": { "a": 1, "b": 2 } })).await.ok(), created);
        kitchen.put(&path, &json!({ "amount": "1.5" })).await.ok();
        kitchen.put(&path, &json!({ "amount": "1.50" })).await.ok();
        assert_eq!(audit_log::actions(&entries(kitchen).await), ["create", "update"]);
    });
}

#[test]
fn secret_fields_are_not_logged() {
    on_kitchen_with_database(async |kitchen, database| {
        let body = json!({ "name": "a", "pin": "geheim-1" });
        let created = kitchen.post("/ledgers", &body).await.created();
        let path = path("/ledgers", &created);
        database.set_directly("ledgers", ("remark", Stored::Text("geheim-2")), None).await;
        kitchen.put(&path, &json!({ "name": "b", "pin": "geheim-3" })).await.ok();
        kitchen.put(&path, &json!({ "pin": "geheim-4" })).await.ok();
        kitchen.delete(&path).await.ok();
        kitchen.delete(format!("{path}/permanent")).await.ok();
        let entries = entries(kitchen).await;
        assert_eq!(audit_log::actions(&entries), ["create", "update", "update", "soft_delete", "delete"]);
        let text = json!(entries).to_string();
        for secret in ["pin", "remark", "geheim"] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
        let changed: Vec<_> = entries[2]["changes"].as_object().expect("an object").keys().collect();
        assert_eq!(changed, ["updated_at"], "only the time of the change is logged");
    });
}

#[test]
fn resources_without_audit_are_not_logged() {
    on_kitchen(async |kitchen| {
        let (created, _) = crud_tests::fixtures::deleted_note(kitchen, json!({ "title": "x" })).await;
        kitchen.delete(format!("{}/permanent", path("/notes", &created))).await.ok();
        kitchen.post("/coupons/batch", &batch([json!({ "worth": 1 })])).await.ok();
        assert_eq!(kitchen.get("/audit-logs").await.ok()["total"], 0);
    });
}

#[test]
fn entry_and_change_are_atomic() {
    on_kitchen_with_sql(async |kitchen, database| {
        let created = ledger(kitchen, "a").await;
        let path = path("/ledgers", &created);
        database.execute("ALTER TABLE audit_logs RENAME TO elsewhere").await;
        for request in [
            kitchen.post("/ledgers", &json!({ "name": "b" })),
            kitchen.post("/ledgers/batch", &batch([json!({ "name": "c" })])),
            kitchen.put(&path, &json!({ "name": "d" })),
            kitchen.put("/ledgers/batch", &batch([json!({ "id": created["id"], "name": "e" })])),
            kitchen.delete(&path),
            kitchen.request(Method::DELETE, "/ledgers/batch").json(&ids([&created])),
        ] {
            let answer = request.await;
            assert!(answer.status() >= 500, "{answer}");
        }
        assert_eq!(kitchen.get("/ledgers?include_deleted=true").await.ok()["data"], json!([created]));
        database.execute("ALTER TABLE elsewhere RENAME TO audit_logs").await;
        kitchen.put(&path, &json!({ "name": "f" })).await.ok();
        assert_eq!(audit_log::actions(&entries(kitchen).await), ["create", "update"]);
    });
}
