//! `GET /audit-logs` lists entries by page and filter, read-only.

use crud_tests::fixtures::{path, records};
use crud_tests::{Api, Client, Database, Stored, audit_log, on_kitchen, on_kitchen_with_database, query};
use reqwest::Method;
use serde_json::{Value, json};

/// The ids of the entries in a response.
async fn found(kitchen: &Client, query: &str) -> Vec<Value> {
    crud_tests::fixtures::column(&kitchen.get(format!("/audit-logs{query}")).await.ok(), "id")
}

/// Creates entries of several actions: `quiet` 1 is created, updated and deleted, `quiet` 2 and `anonymous` `a` are
/// created.
async fn several(kitchen: &Client) -> Vec<Value> {
    for name in ["a", "b"] {
        kitchen.post("/quiet", &json!({ "name": name })).await.created();
    }
    kitchen.put("/quiet/1", &json!({ "name": "c" })).await.ok();
    kitchen.delete("/quiet/1").await.ok();
    kitchen.post("/anonymous", &json!({ "name": "a" })).await.created();
    found(kitchen, "").await
}

/// Gives an entry another time.
async fn set_time(database: &Database, time: &str, entry: &Value) {
    let of = Some(("id", Stored::Number(entry.as_i64().expect("a key"))));
    database.set_directly("audit_logs", ("timestamp", Stored::Time(time)), of).await;
}

/// Five entries at fixed times.
async fn timed(kitchen: &Api, database: &Database) -> Vec<Value> {
    let times = [
        "2026-01-01T00:00:00.000000Z",
        "2026-01-01T23:59:59.999999Z",
        "2026-01-02T00:00:00.000000Z",
        "2026-01-02T12:00:00.000000Z",
        "2026-01-03T00:00:00.000000Z",
    ];
    for time in times {
        let created = kitchen.post("/quiet", &json!({ "name": time })).await.created();
        let id = created["id"].as_i64().expect("a key");
        let of = Some(("entity_id", Stored::Number(id)));
        database.set_directly("audit_logs", ("timestamp", Stored::Time(time)), of).await;
    }
    let entries = audit_log::entries(kitchen, "Quiet").await;
    let stored: Vec<_> = entries.iter().map(|entry| entry["timestamp"].clone()).collect();
    assert_eq!(stored, times);
    entries.iter().map(|entry| entry["id"].clone()).collect()
}

#[test]
fn log_is_paginated() {
    on_kitchen(async |kitchen| {
        let empty =
            json!({ "data": [], "total": 0, "total_relation": "eq", "page": 1, "pages": 0, "limit": 20, "skip": 0 });
        assert_eq!(kitchen.get("/audit-logs").await.ok(), empty);
        for number in 0..25 {
            kitchen.post("/quiet", &json!({ "name": number.to_string() })).await.created();
        }
        let first = kitchen.get("/audit-logs").await.ok();
        assert_eq!(records(&first).len(), 20, "the default");
        let page = |list: &Value| ["total", "page", "pages", "limit", "skip"].map(|name| list[name].as_u64());
        assert_eq!(page(&first), [Some(25), Some(1), Some(2), Some(20), Some(0)]);
        let rest = kitchen.get("/audit-logs?skip=20&limit=10").await.ok();
        assert_eq!(page(&rest), [Some(25), Some(3), Some(3), Some(10), Some(20)]);
        let ids: Vec<_> =
            [&first, &rest].into_iter().flat_map(records).map(|entry| entry["entity_id"].as_i64()).collect();
        assert_eq!(ids, (1..=25).map(Some).collect::<Vec<_>>(), "ascending, without duplicates");
        assert_eq!(records(&kitchen.get("/audit-logs?limit=100").await.ok()).len(), 25);
    });
}

#[test]
fn parameters_of_the_log_are_validated() {
    on_kitchen(async |kitchen| {
        for (query, parameter) in [
            ("?limit=0", "limit"),
            ("?limit=101", "limit"),
            ("?limit=x", "limit"),
            ("?skip=-1", "skip"),
            ("?limit=1&limit=2", "limit"),
            ("?sort=id", "sort"),
            ("?sort=-id", "sort"),
            ("?sort=timestamp,-timestamp", "sort"),
            ("?colour=red", "colour"),
            ("?entity_type__like=%25", "entity_type__like"),
            ("?include_deleted=true", "include_deleted"),
            ("?timestamp=2026-01-01", "timestamp"),
        ] {
            let problem = kitchen.get(format!("/audit-logs{query}")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), [parameter], "{query}");
        }
        let problem = kitchen.get("/audit-logs?limit=0&skip=x&colour=red").await.problem("validation_failed");
        assert_eq!(problem.parameters(), ["colour", "limit", "skip"], "every error at once");
    });
}

#[test]
fn entries_are_filtered_by_type_record_and_action() {
    on_kitchen(async |kitchen| {
        let all = several(kitchen).await;
        assert_eq!(all.len(), 5);
        for (query, expected) in [
            ("?entity_type=Quiet", &all[..4]),
            ("?entity_type=Anonymous", &all[4..]),
            ("?entity_type=Nothing", &[]),
            ("?entity_type=quiet", &[]),
            ("?entity_id=2", &all[1..2]),
            ("?entity_id=a", &all[4..]),
            ("?entity_type=Quiet&entity_id=a", &[]),
            ("?action=delete", &all[3..4]),
            ("?action=restore", &[]),
            ("?action=export", &[]),
            ("?entity_type=Anonymous&action=create", &all[4..]),
        ] {
            assert_eq!(found(kitchen, query).await, expected, "{query}");
        }
        let of_one = [&all[0], &all[2], &all[3]].map(Clone::clone);
        assert_eq!(found(kitchen, "?entity_type=Quiet&entity_id=1").await, of_one);
        let counted = kitchen.get("/audit-logs?entity_type=Quiet&limit=1").await.ok();
        assert_eq!((&counted["total"], &counted["pages"]), (&json!(4), &json!(4)));
    });
}

#[test]
fn filter_values_are_validated() {
    on_kitchen(async |kitchen| {
        several(kitchen).await;
        for (query, parameter) in [
            ("?user_id=x", "user_id"),
            ("?start_date=yesterday", "start_date"),
            ("?end_date=2026-02-30", "end_date"),
            ("?end_date=2026-01-01T00:00:00", "end_date"),
        ] {
            let problem = kitchen.get(format!("/audit-logs{query}")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), [parameter], "{query}");
        }
    });
}

#[test]
fn entries_without_a_user_do_not_match_user_id() {
    on_kitchen(async |kitchen| {
        several(kitchen).await;
        assert_eq!(found(kitchen, "?user_id=1").await, [Value::Null; 0]);
    });
}

#[test]
fn date_filter_covers_the_whole_day() {
    on_kitchen_with_database(async |kitchen, database| {
        let all = timed(kitchen, database).await;
        for (query, expected) in [
            ("?start_date=2026-01-02", &all[2..]),
            ("?end_date=2026-01-01", &all[..2]),
            ("?end_date=2026-01-02", &all[..4]),
            ("?start_date=2026-01-02&end_date=2026-01-02", &all[2..4]),
            ("?start_date=2026-01-04", &[]),
            ("?start_date=2026-01-02&end_date=2026-01-01", &[]),
        ] {
            assert_eq!(found(kitchen, query).await, expected, "{query}");
        }
    });
}

#[test]
fn instant_filter_is_exact() {
    on_kitchen_with_database(async |kitchen, database| {
        let all = timed(kitchen, database).await;
        for (parameters, expected) in [
            (vec![("start_date", "2026-01-01T23:59:59.999999Z")], &all[1..]),
            (vec![("end_date", "2026-01-02T00:00:00Z")], &all[..3]),
            (vec![("start_date", "2026-01-02T01:00:00+01:00"), ("end_date", "2026-01-02T23:00:00Z")], &all[2..4]),
        ] {
            let target = query("/audit-logs", parameters.clone());
            let list = kitchen.get(target).await.ok();
            assert_eq!(crud_tests::fixtures::column(&list, "id"), expected, "{parameters:?}");
            assert_eq!(list["total"], expected.len(), "{parameters:?}");
        }
    });
}

#[test]
fn log_is_sorted_by_time_and_id() {
    on_kitchen_with_database(async |kitchen, database| {
        let all = several(kitchen).await;
        for entry in &all[1..] {
            set_time(database, "2026-01-02T00:00:00.000000Z", entry).await;
        }
        set_time(database, "2026-01-01T00:00:00.000000Z", &all[4]).await;
        set_time(database, "2026-01-03T00:00:00.000000Z", &all[0]).await;
        let expected = [4, 1, 2, 3, 0].map(|number: usize| all[number].clone());
        assert_eq!(found(kitchen, "").await, expected);
        assert_eq!(found(kitchen, "?skip=1&limit=2").await, expected[1..3]);
        assert_eq!(found(kitchen, "?sort=timestamp").await, expected);
    });
}

#[test]
fn log_with_the_newest_first_is_the_reverse() {
    on_kitchen_with_database(async |kitchen, database| {
        let all = several(kitchen).await;
        for entry in &all[1..4] {
            set_time(database, "2026-01-02T00:00:00.000000Z", entry).await;
        }
        set_time(database, "2026-01-01T00:00:00.000000Z", &all[4]).await;
        set_time(database, "2026-01-03T00:00:00.000000Z", &all[0]).await;
        let expected = [0, 3, 2, 1, 4].map(|number: usize| all[number].clone());
        assert_eq!(found(kitchen, "?sort=-timestamp").await, expected, "entries of one time, too");
        for (page, expected) in expected.chunks(2).enumerate() {
            let query = format!("?sort=-timestamp&limit=2&skip={}", page * 2);
            assert_eq!(found(kitchen, &query).await, expected, "{query}");
        }
        let filtered = found(kitchen, "?sort=-timestamp&entity_type=Quiet&end_date=2026-01-02").await;
        assert_eq!(filtered, expected[1..4]);
    });
}

#[test]
fn log_is_read_only_over_http() {
    on_kitchen(async |kitchen| {
        several(kitchen).await;
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let answer = kitchen.request(method.clone(), "/audit-logs").json(&json!({})).await;
            assert_eq!(answer.allow(), ["GET", "HEAD", "OPTIONS"], "{method}");
            answer.problem("method_not_allowed");
            kitchen.request(method, "/audit-logs/1").json(&json!({})).await.problem("route_not_found");
        }
        kitchen.get("/audit-logs/1").await.problem("route_not_found");
        assert_eq!(kitchen.get("/audit-logs").await.ok()["total"], 5);
        kitchen.head("/audit-logs").await.expect(200);
    });
}

#[test]
fn log_keeps_entries_of_deleted_records() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/quiet", &json!({ "name": "a" })).await.created();
        kitchen.delete(path("/quiet", &created)).await.ok();
        let entries = audit_log::entries(kitchen, "Quiet").await;
        assert_eq!(audit_log::actions(&entries), ["create", "delete"]);
    });
}
