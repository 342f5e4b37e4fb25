//! A record as it was, from the audit log: `GET {prefix}/{id}?as_of=…`.

use crud_tests::fixtures::{now, path};
use crud_tests::{Answer, Client, on_kitchen, on_kitchen_with_sql, query};
use reqwest::Method;
use serde_json::{Value, json};

async fn as_of(kitchen: &Client, path: &str, time: &str) -> Answer {
    kitchen.get(query(path, [("as_of", time)])).await
}

#[test]
fn every_state_of_a_record_can_be_read_again() {
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
fn a_change_counts_from_its_own_moment_on() {
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
fn before_it_was_there_is_not_found() {
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
fn a_record_that_was_deleted_then_is_shown_when_asked_for() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &created);
        let active = now();
        let deleted = kitchen.delete(&path).await.ok();
        let inactive = now();
        assert_eq!(as_of(kitchen, &path, &active).await.ok(), created, "while it is deleted now");
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
fn a_record_that_is_gone_can_still_be_read_as_it_was() {
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
fn an_update_that_restored_is_followed_back() {
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
fn the_parameter_is_a_time_that_has_been() {
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
fn a_resource_that_is_not_audited_does_not_know_it() {
    on_kitchen(async |kitchen| {
        let note = kitchen.post("/notes", &json!({ "title": "x" })).await.created();
        let problem = as_of(kitchen, &path("/notes", &note), &now()).await.problem("validation_failed");
        assert_eq!(problem.parameters(), ["as_of"]);
        let problem = as_of(kitchen, "/ledgers", &now()).await.problem("validation_failed");
        assert_eq!(problem.parameters(), ["as_of"], "nor does a list");
    });
}

#[test]
fn a_log_that_begins_later_cannot_say() {
    on_kitchen_with_sql(async |kitchen, database| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &created);
        let early = now();
        kitchen.put(&path, &json!({ "name": "b" })).await.ok();
        let late = now();
        database.execute("DELETE FROM audit_logs WHERE action = 'create'").await;
        as_of(kitchen, &path, &early).await.problem("history_incomplete");
        assert_eq!(as_of(kitchen, &path, &late).await.ok()["name"], "b");
        database.execute("DELETE FROM audit_logs").await;
        as_of(kitchen, &path, &late).await.problem("history_incomplete");
    });
}

#[test]
fn a_change_past_the_log_is_noticed() {
    on_kitchen_with_sql(async |kitchen, database| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &created);
        let early = now();
        kitchen.put(&path, &json!({ "name": "b" })).await.ok();
        database.execute("UPDATE ledgers SET name = 'c'").await;
        as_of(kitchen, &path, &early).await.problem("history_incomplete");
        assert_eq!(kitchen.get(&path).await.ok()["name"], "c");
    });
}

#[test]
fn a_gap_in_the_log_is_noticed() {
    on_kitchen_with_sql(async |kitchen, database| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &created);
        let early = now();
        for name in ["b", "c"] {
            kitchen.put(&path, &json!({ "name": name })).await.ok();
        }
        // MySQL reads no table that it deletes from, unless in a table of its own.
        let last = "SELECT id FROM (SELECT max(id) AS id FROM audit_logs) AS last";
        database.execute(&format!("DELETE FROM audit_logs WHERE id = ({last})")).await;
        as_of(kitchen, &path, &early).await.problem("history_incomplete");
    });
}

#[test]
fn a_head_of_what_was_has_no_body() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let target = query(&path("/ledgers", &created), [("as_of", now())]);
        assert_ne!(kitchen.get(&target).await.ok(), Value::Null);
        kitchen.head(&target).await.expect(200);
    });
}
