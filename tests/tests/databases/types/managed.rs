//! Times of changes without a zone, a deletion that has no time, and defaults that are the current time.

use crud_runtime::prelude::*;
use crud_tests::{Api, Backend, audit_log, on_each_backend, on_each_sql_backend, on_each_sql_server};
use serde_json::json;

use crate::types::{fields, prepare};

#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, soft_delete, pagination, audit)]
struct Memo {
    id: i64,
    text: String,
    #[crud(default(Utc::now()))]
    noted: DateTime<Utc>,
    #[crud(default(Utc::now().naive_utc()))]
    noted_naive: NaiveDateTime,
    #[crud(created_at)]
    created_at: NaiveDateTime,
    #[crud(updated_at)]
    updated_at: NaiveDateTime,
    deleted_at: Option<NaiveDateTime>,
}

#[test]
fn times_of_changes_are_those_of_utc() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Memo>();
        let service = service.migrate().await.expect("the table");
        let api = Api::start(database, service).await;
        let before = Utc::now().naive_utc();
        let memo = api.post("/memos", &json!({ "text": "a" })).await.created();
        let time = |value: &serde_json::Value| {
            let text = value.as_str().expect("a time");
            assert_eq!(text.len(), "2026-01-31T12:00:00.000000".len(), "{text} has no zone");
            text.parse::<NaiveDateTime>().expect("a time without a zone")
        };
        let created = time(&memo["created_at"]);
        let seconds = (created - before).num_seconds().abs();
        assert!(seconds < 60, "{seconds}");
        assert_eq!(memo["updated_at"], memo["created_at"]);
        let path = format!("/memos/{}", memo["id"]);
        let changed = api.patch(&path, &json!({ "text": "b" })).await.ok();
        assert!(time(&changed["updated_at"]) > created);
        api.delete(&path).await.ok();
        let deleted = api.get(format!("{path}?include_deleted=true")).await.ok();
        assert!(time(&deleted["deleted_at"]) > created);
        assert_eq!(deleted["is_deleted"], true);
        let filter = format!("deleted_at__gte={}", memo["created_at"].as_str().expect("a time"));
        let page = api.get(format!("/memos?only_deleted=true&{filter}")).await.ok();
        assert_eq!(fields(&page, "text"), ["b"]);
        let restored = api.post(format!("{path}/restore"), &json!({})).await.ok();
        assert!(restored["deleted_at"].is_null());
        let as_of = format!("{}Z", memo["created_at"].as_str().expect("a time"));
        assert_eq!(api.get(format!("{path}?as_of={as_of}")).await.ok()["text"], "a");
        api.stop().await;
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination(cursor), batch(mode(atomic)), soft_delete, audit)]
struct Account {
    id: i64,
    #[crud(unique(active), length(max = 20))]
    name: String,
    #[crud(deleted_at)]
    removed: bool,
}

#[derive(Debug, Clone, Resource)]
struct Payment {
    id: i64,
    #[crud(references(Account))]
    account_id: i64,
}

#[test]
fn deletion_by_a_boolean_has_every_operation() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Account>().resource::<Payment>();
        let service = service.migrate().await.expect("the tables");
        let api = Api::start(database, service).await;
        let account = api.post("/accounts", &json!({ "name": "a" })).await.created();
        assert_eq!(account, json!({ "id": account["id"], "name": "a", "removed": false, "is_deleted": false }));
        let path = format!("/accounts/{}", account["id"]);
        let deleted = api.delete(&path).await.ok();
        assert_eq!([&deleted["removed"], &deleted["is_deleted"]], [true, true]);
        api.get(&path).await.problem("not_found");
        assert_eq!(api.get("/accounts").await.ok()["total"], 0);
        assert_eq!(api.get("/accounts?include_deleted=true").await.ok()["total"], 1);
        assert_eq!(fields(&api.get("/accounts?only_deleted=true").await.ok(), "name"), ["a"]);
        // A deleted record's value is free, and it is not referred to.
        let second = api.post("/accounts", &json!({ "name": "a" })).await.created();
        api.post("/accounts", &json!({ "name": "a" })).await.problem("conflict");
        api.post("/payments", &json!({ "account_id": account["id"] })).await.problem("reference_not_found");
        api.post("/payments", &json!({ "account_id": second["id"] })).await.created();
        api.patch(format!("/accounts/{}", second["id"]), &json!({ "name": "b" })).await.ok();
        let restored = api.post(format!("{path}/restore"), &json!({})).await.ok();
        assert_eq!([&restored["removed"], &restored["is_deleted"]], [false, false]);
        assert_eq!(api.get("/accounts").await.ok()["total"], 2);
        api.delete(&path).await.ok();
        api.delete(format!("{path}/permanent")).await.ok();
        assert_eq!(api.get("/accounts?include_deleted=true").await.ok()["total"], 1);
        api.stop().await;
    });
}

#[test]
fn list_of_deleted_records_has_no_filter_by_a_time_that_there_is_not() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Account>().resource::<Payment>();
        let service = service.migrate().await.expect("the tables");
        let api = Api::start(database, service).await;
        let answer = api.get("/accounts?only_deleted=true&removed__gt=2026-01-31T00:00:00Z").await;
        assert_eq!(answer.status(), 422, "{answer}");
        api.delete("/accounts/deleted?removed__lt=2026-01-31T00:00:00Z").await.problem("validation_failed");
        api.stop().await;
    });
}

#[test]
fn table_of_another_program_has_a_boolean_and_times_without_a_zone() {
    on_each_sql_backend(async |database| {
        let table = match database.backend() {
            Backend::Postgres => {
                "CREATE TABLE accounts (id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY, name varchar(20) NOT NULL, \
                 removed boolean NOT NULL DEFAULT false)"
            }
            Backend::MySql => {
                "CREATE TABLE accounts (id bigint AUTO_INCREMENT PRIMARY KEY, name varchar(20) NOT NULL, \
                 removed bit(1) NOT NULL DEFAULT 0)"
            }
            _ => {
                "CREATE TABLE accounts (id INTEGER PRIMARY KEY, name TEXT NOT NULL, removed BOOLEAN NOT NULL DEFAULT 0)"
            }
        };
        prepare(database, table).await;
        database.execute("INSERT INTO accounts (name) VALUES ('a'), ('b')").await;
        let service =
            database.service().await.resource::<Plain>().check_schema().await.expect("types that can be read");
        let api = Api::start(database, service).await;
        api.delete("/accounts/1").await.ok();
        assert_eq!(fields(&api.get("/accounts").await.ok(), "name"), ["b"]);
        assert_eq!(api.post("/accounts", &json!({ "name": "c" })).await.created()["is_deleted"], false);
        api.post("/accounts/1/restore", &json!({})).await.ok();
        assert_eq!(api.get("/accounts").await.ok()["total"], 3);
        api.stop().await;
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "accounts", prefix = "/accounts", pagination, soft_delete)]
struct Plain {
    id: i64,
    name: String,
    #[crud(deleted_at)]
    removed: bool,
}

/// A showing, in a table whose times have no fractions.
#[derive(Debug, Clone, Resource)]
#[crud(table("showings", unmanaged), audit)]
struct Showing {
    id: i64,
    begins: NaiveDateTime,
    #[crud(updated_at)]
    updated_at: DateTime<Utc>,
}

#[test]
fn entries_have_the_times_that_a_coarse_column_keeps() {
    on_each_sql_server(async |database| {
        let table = match database.backend() {
            Backend::Postgres => {
                "CREATE TABLE showings (id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY, \
                 begins timestamp(0) NOT NULL, updated_at timestamp(0) with time zone NOT NULL)"
            }
            _ => {
                "CREATE TABLE showings (id bigint AUTO_INCREMENT PRIMARY KEY, begins datetime NOT NULL, \
                 updated_at datetime NOT NULL)"
            }
        };
        prepare(database, table).await;
        let service = database.service().await.resource::<Showing>().migrate().await.expect("the log's table");
        let api = Api::start(database, service).await;
        let showing = api.post("/showings", &json!({ "begins": "2026-01-31T20:15:00.25" })).await.created();
        assert_eq!(showing["begins"], "2026-01-31T20:15:00.000000");
        let path = format!("/showings/{}", showing["id"]);
        for begins in ["2026-01-31T20:30:00.25", "2026-01-31T20:45:00.25"] {
            let changed = api.patch(&path, &json!({ "begins": begins })).await.ok();
            assert_eq!(api.get(&path).await.ok(), changed);
            let states =
                audit_log::replay(&audit_log::history(&api, &path).await).expect("entries that fit each other");
            assert_eq!(states.into_values().next().flatten(), Some(changed));
        }
        let history = api.get(format!("{path}/history")).await.ok();
        assert_eq!(history.get("unlogged"), None, "{history}");
        api.stop().await;
    });
}
