//! Values that are erased from the audit log, and entries that are forgotten.

use crud_runtime::prelude::*;
use crud_tests::fixtures::{id, records};
use crud_tests::{Api, kitchen, on_each_backend, on_each_sql_backend, wait_until};
use serde_json::{Value, json};

#[test]
fn erased_record_has_its_entries_without_values() {
    on_each_backend(async |database| {
        let service = kitchen::kitchen(database.service().await).migrate().await.expect("the kitchen's tables");
        let log = service.audit_log();
        let kitchen = Api::start(database, service).await;
        let erased = kitchen.post("/ledgers", &json!({ "name": "of a person" })).await.created();
        let other = kitchen.post("/ledgers", &json!({ "name": "other" })).await.created();
        let path = format!("/ledgers/{}", id(&erased));
        for number in 0..230 {
            kitchen.patch(&path, &json!({ "name": format!("of a person {number}") })).await.ok();
        }
        let before = kitchen.get(format!("{path}/history?limit=100")).await.ok();
        assert_eq!(log.erase("Ledger", id(&erased)).await.expect("the database works"), 231);
        let after = kitchen.get(format!("{path}/history?limit=100")).await.ok();
        let strip = |entry: &Value| {
            let mut entry = entry.clone();
            let fields = entry.as_object_mut().expect("an object");
            fields.remove("changes");
            fields.remove("previous");
            entry
        };
        assert_eq!(records(&after), records(&before).iter().map(strip).collect::<Vec<_>>());
        let all = kitchen.get("/audit-logs?limit=100&skip=200").await.expect(200).text();
        assert!(!all.contains("of a person"), "{all}");
        let history = kitchen.get(format!("/ledgers/{}/history", id(&other))).await.ok();
        assert_eq!(records(&history)[0]["changes"]["name"], "other");
        let time = records(&before)[1]["timestamp"].as_str().expect("a time");
        kitchen.get(format!("{path}?as_of={time}")).await.problem("history_incomplete");
        assert_eq!(log.erase("Ledger", 4_711).await.expect("the database works"), 0);
        kitchen.stop().await;
    });
}

/// Its entries are kept for ten days.
#[derive(Debug, Clone, Resource)]
#[crud(prefix = "/brief", table = "brief", audit(keep = "10d"))]
struct Brief {
    id: i64,
    name: String,
}

/// Its entries are kept for ever.
#[derive(Debug, Clone, Resource)]
#[crud(prefix = "/long", table = "long", audit)]
struct Long {
    id: i64,
    name: String,
}

#[test]
fn entries_are_forgotten_when_their_time_is_over() {
    on_each_sql_backend(async |database| {
        let build = async || {
            let service = database.service().await.resource::<Brief>().resource::<Long>();
            service.migrate().await.expect("the tables")
        };
        let api = Api::start(database, build().await).await;
        for prefix in ["/brief", "/long"] {
            api.post(prefix, &json!({ "name": "old" })).await.created();
        }
        api.stop().await;
        let time = database.time_literal("2020-01-01T00:00:00.000000Z");
        database.execute(&format!("UPDATE \"audit_logs\" SET \"timestamp\" = {time}")).await;
        let api = Api::start(database, build().await).await;
        api.post("/brief", &json!({ "name": "new" })).await.created();
        wait_until("the entry is forgotten", async || api.get("/audit-logs").await.ok()["total"] == 2).await;
        let entries = api.get("/audit-logs").await.ok();
        let kept = records(&entries).iter().map(|entry| (entry["entity_type"].clone(), entry["entity_id"].clone()));
        assert_eq!(kept.collect::<Vec<_>>(), [(json!("Long"), json!(1)), (json!("Brief"), json!(2))]);
        api.get("/brief/1").await.ok();
        api.stop().await;
    });
}
