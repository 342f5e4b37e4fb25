//! `GET {prefix}/{id}/history` is the audit log of one record.

use crud_tests::fixtures::{path, records};
use crud_tests::{Stored, audit_log, on_kitchen, on_kitchen_with_database};
use reqwest::Method;
use serde_json::json;

#[test]
fn history_is_the_log_of_one_record() {
    on_kitchen(async |kitchen| {
        let one = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let two = kitchen.post("/ledgers", &json!({ "name": "b" })).await.created();
        let quiet = kitchen.post("/quiet", &json!({ "name": "c" })).await.created();
        assert_eq!(one["id"], quiet["id"], "the same key in another resource");
        let path_of_one = path("/ledgers", &one);
        kitchen.put(&path_of_one, &json!({ "name": "x" })).await.ok();
        kitchen.put(path("/ledgers", &two), &json!({ "name": "y" })).await.ok();
        let history = kitchen.get(format!("{path_of_one}/history")).await.ok();
        let fields: Vec<_> = history.as_object().expect("an object").keys().collect();
        assert_eq!(fields, ["data", "total", "total_relation", "page", "pages", "limit", "skip"]);
        assert_eq!(history["total"], 2);
        let of_kind = audit_log::entries(kitchen, "Ledger").await;
        assert_eq!(records(&history), [of_kind[0].clone(), of_kind[2].clone()]);
    });
}

#[test]
fn history_is_paginated_and_filterable() {
    on_kitchen(async |kitchen| {
        let ledger = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &ledger);
        for number in 0..25 {
            kitchen.put(&path, &json!({ "name": number.to_string() })).await.ok();
        }
        let history = |query: &str| format!("{path}/history{query}");
        assert_eq!(records(&kitchen.get(history("")).await.ok()).len(), 20);
        let page = kitchen.get(history("?action=update&skip=20&limit=10")).await.ok();
        assert_eq!((records(&page).len(), &page["total"], &page["page"]), (5, &json!(25), &json!(3)));
        assert_eq!(kitchen.get(history("?action=create")).await.ok()["total"], 1);
        assert_eq!(kitchen.get(history("?start_date=2020-01-01")).await.ok()["total"], 26);
        assert_eq!(kitchen.get(history("?end_date=2020-01-01")).await.ok()["total"], 0);
        assert_eq!(kitchen.get(history("?user_id=1")).await.ok()["total"], 0);
    });
}

#[test]
fn history_has_the_newest_first_where_it_is_asked_to() {
    on_kitchen(async |kitchen| {
        let ledger = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &ledger);
        for name in ["b", "c", "d", "e"] {
            kitchen.put(&path, &json!({ "name": name })).await.ok();
        }
        let oldest_first = audit_log::history(kitchen, &path).await;
        let page = async |query: &str| kitchen.get(format!("{path}/history?{query}")).await.ok();
        let newest_first: Vec<_> = oldest_first.iter().rev().cloned().collect();
        assert_eq!(records(&page("sort=-timestamp").await), newest_first);
        assert_eq!(records(&page("sort=timestamp").await), oldest_first);
        let second = page("sort=-timestamp&limit=2&skip=2").await;
        assert_eq!(records(&second), &newest_first[2..4]);
        assert_eq!([&second["total"], &second["page"], &second["pages"]], [5, 2, 3]);
        assert_eq!(records(&page("sort=-timestamp&action=create").await), &newest_first[4..]);
    });
}

#[test]
fn history_rejects_parameters_that_select_a_record() {
    on_kitchen(async |kitchen| {
        let ledger = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let history = format!("{}/history", path("/ledgers", &ledger));
        for parameter in ["entity_type", "entity_id", "sort", "as_of", "include_deleted"] {
            let problem = kitchen.get(format!("{history}?{parameter}=1")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), [parameter]);
        }
        for (query, parameter) in [("?limit=101", "limit"), ("?user_id=x", "user_id"), ("?end_date=x", "end_date")] {
            let problem = kitchen.get(format!("{history}{query}")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), [parameter]);
        }
    });
}

#[test]
fn history_is_kept_after_the_record() {
    on_kitchen(async |kitchen| {
        let ledger = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let path = path("/ledgers", &ledger);
        kitchen.delete(&path).await.ok();
        assert_eq!(kitchen.get(format!("{path}/history")).await.ok()["total"], 2);
        kitchen.delete(format!("{path}/permanent")).await.ok();
        let entries = audit_log::history(kitchen, &path).await;
        assert_eq!(audit_log::actions(&entries), ["create", "soft_delete", "delete"]);
    });
}

#[test]
fn unknown_record_has_no_history() {
    on_kitchen(async |kitchen| {
        kitchen.get("/ledgers/4711/history").await.problem("not_found");
        kitchen.get("/drafts/nothing/history").await.problem("not_found");
        kitchen.get("/ledgers/x/history").await.expect(kitchen.get("/ledgers/x").await.status());
    });
}

#[test]
fn record_without_entries_has_an_empty_history() {
    on_kitchen_with_database(async |kitchen, database| {
        database.insert_directly("quiet", &[("id", Stored::Number(7)), ("name", Stored::Text("a"))]).await;
        let history = kitchen.get("/quiet/7/history").await.ok();
        assert_eq!((&history["total"], &history["data"]), (&json!(0), &json!([])));
    });
}

#[test]
fn text_key_has_a_history() {
    on_kitchen(async |kitchen| {
        kitchen.post("/drafts", &json!({ "slug": "a b/c", "wordCount": 1 })).await.created();
        kitchen.post("/drafts", &json!({ "slug": "1", "wordCount": 1 })).await.created();
        let entries = audit_log::history(kitchen, "/drafts/a%20b%2Fc").await;
        assert_eq!((entries.len(), &entries[0]["entity_id"]), (1, &json!("a b/c")));
        assert_eq!(audit_log::history(kitchen, "/drafts/1").await[0]["entity_id"], "1", "the id stays text");
        let member = kitchen.post("/members", &json!({})).await.created();
        let entries = audit_log::history(kitchen, &path("/members", &member)).await;
        assert_eq!(entries[0]["entity_id"], member["id"]);
    });
}

#[test]
fn history_is_read_only_and_requires_audit() {
    on_kitchen(async |kitchen| {
        let ledger = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let history = format!("{}/history", path("/ledgers", &ledger));
        for method in [Method::POST, Method::PUT, Method::DELETE] {
            let answer = kitchen.request(method, &history).json(&json!({})).await;
            assert_eq!(answer.allow(), ["GET", "HEAD", "OPTIONS"]);
            answer.problem("method_not_allowed");
        }
        kitchen.head(&history).await.expect(200);
        let note = kitchen.post("/notes", &json!({ "title": "x" })).await.created();
        kitchen.get(format!("{}/history", path("/notes", &note))).await.problem("route_not_found");
    });
}
