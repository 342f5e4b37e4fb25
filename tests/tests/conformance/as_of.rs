//! `GET {prefix}/{id}?as_of=…` is a record's state at a past time, or an error where the log is incomplete.

use crud_tests::fixtures::{now, path};
use crud_tests::{Answer, Client, Stored, on_kitchen, on_kitchen_with_database, query};
use reqwest::Method;
use serde_json::{Value, json};

async fn as_of(kitchen: &Client, path: &str, time: &str) -> Answer {
    kitchen.get(query(path, [("as_of", time)])).await
}

#[test]
fn every_past_state_can_be_read() {
    on_kitchen(async |kitchen| {
        let body = json!({ "name": "a", "amount": "1.5", "seal": "AAEC", "extra": { "a": [1] }, "tags": ["x"] });
        let created = kitchen.post("/ledgers", &body).await.created();
        let path = path("/ledgers", &created);
        let mut states = vec![(now(), created)];
        for body in [
            json!({ "name": "b", "amount": null }),
            json!({ "extra": { "a": [1, 2] }, "due": "2026-01-31T00:00:00Z", "priority": "High" }),
            json!({ "name": "a", "tags": [], "pin": "secret" }),
        ] {
            let updated = kitchen.put(&path, &body).await.ok();
            states.push((now(), updated));
        }
        for (time, state) in &states {
            assert_eq!(as_of(kitchen, &path, time).await.ok(), *state, "{time}");
        }
    });
}

#[test]
fn change_is_effective_from_its_timestamp() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &created);
        let updated = kitchen.put(&path, &json!({ "name": "b" })).await.ok();
        for state in [&created, &updated] {
            let time = state["updated_at"].as_str().expect("a time");
            assert_eq!(as_of(kitchen, &path, time).await.ok(), *state);
        }
        let zoned = query(&path, [("as_of", updated["updated_at"].as_str().expect("a time").replace('Z', "+00:00"))]);
        assert_eq!(kitchen.get(zoned).await.ok(), updated);
    });
}

#[test]
fn as_of_before_creation_is_not_found() {
    on_kitchen(async |kitchen| {
        let before = now();
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &created);
        kitchen.put(&path, &json!({ "name": "b" })).await.ok();
        as_of(kitchen, &path, &before).await.problem("not_found");
        as_of(kitchen, &path, "1970-01-01T00:00:00Z").await.problem("not_found");
        as_of(kitchen, "/ledgers/4711", &before).await.problem("not_found");
    });
}

#[test]
fn state_that_was_soft_deleted_is_shown_on_request() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &created);
        let active = now();
        let deleted = kitchen.delete(&path).await.ok();
        let inactive = now();
        assert_eq!(as_of(kitchen, &path, &active).await.ok(), created, "the record is deleted now");
        let shown = |time: &str| query(&path, [("as_of", time), ("include_deleted", "true")]);
        let restored = kitchen.request(Method::POST, format!("{path}/restore")).await.ok();
        let after = now();
        as_of(kitchen, &path, &inactive).await.problem("not_found");
        assert_eq!(kitchen.get(shown(&inactive)).await.ok(), deleted);
        assert_eq!(as_of(kitchen, &path, &after).await.ok(), restored);
        assert_eq!(kitchen.get(shown(&active)).await.ok(), created);
    });
}

#[test]
fn purged_record_can_be_read_as_of_the_past() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &created);
        let first = now();
        let updated = kitchen.put(&path, &json!({ "name": "b" })).await.ok();
        let second = now();
        let deleted = kitchen.delete(&path).await.ok();
        let third = now();
        kitchen.delete(format!("{path}/permanent")).await.ok();
        assert_eq!(as_of(kitchen, &path, &first).await.ok(), created);
        assert_eq!(as_of(kitchen, &path, &second).await.ok(), updated);
        let shown = query(&path, [("as_of", third.as_str()), ("include_deleted", "true")]);
        assert_eq!(kitchen.get(shown).await.ok(), deleted);
        as_of(kitchen, &path, &now()).await.problem("not_found");
    });
}

#[test]
fn update_that_restored_is_reversed() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/drafts", &json!({ "slug": "a", "wordCount": 1 })).await.created();
        let first = now();
        let deleted = kitchen.delete("/drafts/a").await.ok();
        let second = now();
        kitchen.put("/drafts/a", &json!({ "wordCount": 2 })).await.ok();
        assert_eq!(as_of(kitchen, "/drafts/a", &first).await.ok(), created);
        as_of(kitchen, "/drafts/a", &second).await.problem("not_found");
        let shown = query("/drafts/a", [("as_of", second.as_str()), ("include_deleted", "true")]);
        assert_eq!(kitchen.get(shown).await.ok(), deleted);
    });
}

#[test]
fn as_of_is_a_single_past_instant() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &created);
        for bad in ["", "yesterday", "2026-01-01", "2026-01-01T00:00:00", "2999-01-01T00:00:00Z", "1"] {
            let problem = as_of(kitchen, &path, bad).await.problem("validation_failed");
            assert_eq!(problem.parameters(), ["as_of"], "{bad}");
        }
        let time = now();
        let twice = kitchen.get(query(&path, [("as_of", &time), ("as_of", &time)])).await;
        assert_eq!(twice.problem("validation_failed").parameters(), ["as_of"]);
    });
}

#[test]
fn as_of_is_unknown_without_audit() {
    on_kitchen(async |kitchen| {
        let note = kitchen.post("/notes", &json!({ "title": "x" })).await.created();
        let problem = as_of(kitchen, &path("/notes", &note), &now()).await.problem("validation_failed");
        assert_eq!(problem.parameters(), ["as_of"]);
        let problem = as_of(kitchen, "/ledgers", &now()).await.problem("validation_failed");
        assert_eq!(problem.parameters(), ["as_of"], "a list has no `as_of`");
    });
}

#[test]
fn as_of_before_the_log_begins_is_history_incomplete() {
    on_kitchen_with_database(async |kitchen, database| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &created);
        let early = now();
        kitchen.put(&path, &json!({ "name": "b" })).await.ok();
        let late = now();
        database.delete_directly("audit_logs", Some(("action", Stored::Text("create")))).await;
        as_of(kitchen, &path, &early).await.problem("history_incomplete");
        assert_eq!(as_of(kitchen, &path, &late).await.ok()["name"], "b");
        database.delete_directly("audit_logs", None).await;
        as_of(kitchen, &path, &late).await.problem("history_incomplete");
    });
}

#[test]
fn change_without_a_log_entry_is_history_incomplete() {
    on_kitchen_with_database(async |kitchen, database| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &created);
        let early = now();
        kitchen.put(&path, &json!({ "name": "b" })).await.ok();
        database.set_directly("ledgers", ("name", Stored::Text("c")), None).await;
        as_of(kitchen, &path, &early).await.problem("history_incomplete");
        assert_eq!(kitchen.get(&path).await.ok()["name"], "c");
    });
}

#[test]
fn missing_log_entry_is_history_incomplete() {
    on_kitchen_with_database(async |kitchen, database| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &created);
        let early = now();
        for name in ["b", "c"] {
            kitchen.put(&path, &json!({ "name": name })).await.ok();
        }
        let log = kitchen.get("/audit-logs").await.ok();
        let last = log["data"][2]["id"].as_i64().expect("a third entry");
        database.delete_directly("audit_logs", Some(("id", Stored::Number(last)))).await;
        as_of(kitchen, &path, &early).await.problem("history_incomplete");
    });
}

#[test]
fn head_of_a_past_state_has_no_body() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let target = query(&path("/ledgers", &created), [("as_of", now())]);
        assert_ne!(kitchen.get(&target).await.ok(), Value::Null);
        kitchen.head(&target).await.expect(200);
    });
}
