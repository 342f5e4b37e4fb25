//! Options of `audit` each omit one member from entries.

use crud_tests::fixtures::path;
use crud_tests::kitchen::Timeless;
use crud_tests::{Api, audit_log, on_each_backend, on_kitchen};
use serde_json::{Value, json};

/// The names of an entry's members.
fn members(entry: &Value) -> Vec<&str> {
    entry.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn track_changes_false_omits_changes() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/quiet", &json!({ "name": "a" })).await.created();
        let path = path("/quiet", &created);
        kitchen.put(&path, &json!({ "name": "b" })).await.ok();
        kitchen.put(&path, &json!({ "name": "b" })).await.ok();
        kitchen.delete(&path).await.ok();
        let entries = audit_log::entries(kitchen, "Quiet").await;
        assert_eq!(audit_log::actions(&entries), ["create", "update", "delete"]);
        for entry in &entries {
            let left = ["id", "entity_type", "entity_id", "action", "user_id", "actor", "timestamp"];
            assert_eq!(members(entry), left);
        }
    });
}

#[test]
fn track_user_false_omits_the_user() {
    on_kitchen(async |kitchen| {
        kitchen.post("/anonymous", &json!({ "name": "a" })).await.created();
        kitchen.put("/anonymous/a", &json!({ "size": 1 })).await.ok();
        kitchen.delete("/anonymous/a").await.ok();
        let entries = audit_log::entries(kitchen, "Anonymous").await;
        assert_eq!(audit_log::actions(&entries), ["create", "update", "delete"]);
        let left = ["id", "entity_type", "entity_id", "action", "changes", "timestamp"];
        assert_eq!(members(&entries[0]), left);
        assert_eq!(
            (&entries[1]["changes"], &entries[1]["previous"]),
            (&json!({ "size": 1 }), &json!({ "size": null }))
        );
        assert!(entries.iter().all(|entry| entry["entity_id"] == "a"), "{entries:?}");
        kitchen.get("/anonymous/a/history").await.problem("route_not_found");
    });
}

#[test]
fn track_timestamp_false_omits_the_timestamp() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/timeless", &json!({ "name": "a" })).await.created();
        let path = path("/timeless", &created);
        kitchen.put(&path, &json!({ "name": "b" })).await.ok();
        kitchen.delete(&path).await.ok();
        let entries = audit_log::history(kitchen, &path).await;
        assert_eq!(audit_log::actions(&entries), ["create", "update", "delete"], "ordered by id");
        let left = ["id", "entity_type", "entity_id", "action", "user_id", "actor", "changes"];
        assert_eq!(members(&entries[0]), left);
        for parameter in ["start_date", "end_date"] {
            let answer = kitchen.get(format!("{path}/history?{parameter}=2026-01-01")).await;
            assert_eq!(answer.problem("validation_failed").parameters(), [parameter]);
        }
        let answer = kitchen.get(format!("{path}/history?sort=-timestamp")).await;
        assert_eq!(answer.problem("validation_failed").parameters(), ["sort"]);
    });
}

#[test]
fn log_without_timestamps_rejects_date_filters() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Timeless>().migrate().await.expect("the table");
        let api = Api::start(database, service).await;
        for name in ["a", "b"] {
            api.post("/timeless", &json!({ "name": name })).await.created();
        }
        let entries = api.get("/audit-logs").await.ok();
        let names: Vec<_> =
            entries["data"].as_array().expect("entries").iter().map(|entry| &entry["changes"]["name"]).collect();
        assert_eq!(names, ["a", "b"]);
        for parameter in ["start_date", "end_date"] {
            let problem = api.get(format!("/audit-logs?{parameter}=2026-01-01")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), [parameter]);
        }
        let problem = api.get("/audit-logs?sort=-timestamp").await.problem("validation_failed");
        assert_eq!(problem.parameters(), ["sort"]);
        api.stop().await;
    });
}

#[test]
fn service_without_audited_resources_has_no_log() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<crud_tests::kitchen::Bare>().migrate().await;
        let api = Api::start(database, service.expect("the table")).await;
        api.get("/audit-logs").await.problem("route_not_found");
        api.stop().await;
    });
}

#[test]
fn as_of_without_changes_or_timestamps_is_history_incomplete() {
    on_kitchen(async |kitchen| {
        let quiet = path("/quiet", &kitchen.post("/quiet", &json!({ "name": "a" })).await.created());
        let timeless = path("/timeless", &kitchen.post("/timeless", &json!({ "name": "a" })).await.created());
        let between = crud_tests::fixtures::now();
        for path in [&quiet, &timeless] {
            kitchen.put(path, &json!({ "name": "b" })).await.ok();
            kitchen.get(format!("{path}?as_of={between}")).await.problem("history_incomplete");
        }
    });
}
