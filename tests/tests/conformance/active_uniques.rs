//! A soft-deleted record keeps its unique values, unless they are unique among active records.

use crud_tests::fixtures::{column, path};
use crud_tests::{Client, on_kitchen, on_kitchen_with_sql};
use reqwest::Method;
use serde_json::{Value, json};

async fn member(kitchen: &Client, body: Value) -> Value {
    kitchen.post("/members", &body).await.created()
}

async fn deleted_member(kitchen: &Client, body: Value) -> Value {
    let member = member(kitchen, body).await;
    kitchen.delete(path("/members", &member)).await.ok()
}

#[test]
fn soft_deleted_record_keeps_its_unique_values() {
    on_kitchen(async |kitchen| {
        deleted_member(kitchen, json!({ "email": "ann@x.org" })).await;
        let problem = kitchen.post("/members", &json!({ "email": "ann@x.org" })).await.problem("conflict");
        assert_eq!(problem.pointers(), ["/email"]);
        let other = member(kitchen, json!({ "email": "bob@x.org" })).await;
        let update = kitchen.put(path("/members", &other), &json!({ "email": "ann@x.org" })).await;
        assert_eq!(update.problem("conflict").pointers(), ["/email"]);
        assert_eq!(column(&kitchen.get("/members").await.ok(), "email"), ["bob@x.org"]);
    });
}

#[test]
fn purge_frees_unique_values() {
    on_kitchen(async |kitchen| {
        let deleted = deleted_member(kitchen, json!({ "email": "ann@x.org" })).await;
        kitchen.delete(format!("{}/permanent", path("/members", &deleted))).await.ok();
        member(kitchen, json!({ "email": "ann@x.org" })).await;
    });
}

#[test]
fn value_unique_among_active_records_is_free_after_a_soft_delete() {
    on_kitchen(async |kitchen| {
        for _ in 0..3 {
            deleted_member(kitchen, json!({ "handle": "ann" })).await;
        }
        member(kitchen, json!({ "handle": "ann" })).await;
        let problem = kitchen.post("/members", &json!({ "handle": "ann" })).await.problem("conflict");
        assert_eq!(problem.pointers(), ["/handle"]);
        let handles = column(&kitchen.get("/members?include_deleted=true").await.ok(), "handle");
        assert_eq!(handles, ["ann"; 4]);
    });
}

#[test]
fn restore_of_a_taken_value_is_a_conflict() {
    on_kitchen(async |kitchen| {
        let deleted = deleted_member(kitchen, json!({ "handle": "ann" })).await;
        let active = member(kitchen, json!({ "handle": "ann" })).await;
        let path_of_deleted = path("/members", &deleted);
        let restore = kitchen.request(Method::POST, format!("{path_of_deleted}/restore")).await;
        assert_eq!(restore.problem("conflict").pointers(), ["/handle"]);
        assert_eq!(kitchen.get(format!("{path_of_deleted}?include_deleted=true")).await.ok(), deleted);
        kitchen.delete(path("/members", &active)).await.ok();
        kitchen.request(Method::POST, format!("{path_of_deleted}/restore")).await.ok();
        assert_eq!(column(&kitchen.get("/members").await.ok(), "id"), [deleted["id"].clone()]);
    });
}

#[test]
fn soft_deleted_record_may_take_a_value_of_an_active_one() {
    on_kitchen(async |kitchen| {
        member(kitchen, json!({ "handle": "ann" })).await;
        let deleted = deleted_member(kitchen, json!({ "handle": "bob" })).await;
        let updated = kitchen.put(path("/members", &deleted), &json!({ "handle": "ann" })).await.ok();
        assert_eq!((&updated["handle"], &updated["deleted_at"]), (&json!("ann"), &deleted["deleted_at"]));
        let active = member(kitchen, json!({ "handle": "carl" })).await;
        let taken = kitchen.put(path("/members", &active), &json!({ "handle": "ann" })).await.problem("conflict");
        assert_eq!(taken.pointers(), ["/handle"]);
    });
}

#[test]
fn null_is_not_unique() {
    on_kitchen(async |kitchen| {
        for _ in 0..2 {
            member(kitchen, json!({})).await;
            let deleted = deleted_member(kitchen, json!({})).await;
            kitchen.request(Method::POST, format!("{}/restore", path("/members", &deleted))).await.ok();
        }
        assert_eq!(kitchen.get("/members").await.ok()["total"], 4);
    });
}

#[test]
fn database_enforces_uniqueness_among_active_records() {
    on_kitchen_with_sql(async |kitchen, database| {
        for handle in ["ann", "bob"] {
            member(kitchen, json!({ "handle": handle })).await;
        }
        deleted_member(kitchen, json!({ "handle": "carl" })).await;
        let rename = |from: &str, to: &str| format!("UPDATE members SET handle = '{to}' WHERE handle = '{from}'");
        assert!(!database.try_execute(&rename("ann", "bob")).await);
        assert!(database.try_execute(&rename("ann", "carl")).await);
    });
}
