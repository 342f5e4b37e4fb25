//! A restore of one record, several, or all makes soft-deleted records active, unchanged.

use crud_tests::fixtures::{column, create_all, deleted_note, ids, now, path};
use crud_tests::{Client, Request, on_kitchen, on_kitchen_with_transactions};
use reqwest::Method;
use serde_json::{Value, json};

/// `POST` without a body.
fn post(kitchen: &Client, target: impl Into<String>) -> Request<'_> {
    kitchen.request(Method::POST, target)
}

/// Creates and soft-deletes notes of these ranks.
async fn deleted_notes(kitchen: &Client, ranks: impl IntoIterator<Item = i32>) -> Vec<Value> {
    let mut notes = Vec::new();
    for rank in ranks {
        notes.push(deleted_note(kitchen, json!({ "title": rank.to_string(), "rank": rank })).await.1);
    }
    notes
}

/// The ranks of the active notes.
async fn active(kitchen: &Client) -> Vec<Value> {
    column(&kitchen.get("/notes?sort=rank").await.ok(), "rank")
}

#[test]
fn restored_record_is_unchanged() {
    on_kitchen(async |kitchen| {
        let (created, _) = deleted_note(kitchen, json!({ "title": "x", "rank": 1 })).await;
        let path = path("/notes", &created);
        let answer = post(kitchen, format!("{path}/restore")).await.expect(200);
        let etag = answer.etag();
        assert_eq!(answer.into_json(), created);
        let read = kitchen.get(&path).await.expect(200);
        assert_eq!(read.etag(), etag);
        assert_eq!(read.into_json(), created);
        assert_eq!(active(kitchen).await, [json!(1)]);
    });
}

#[test]
fn record_can_be_deleted_and_restored_repeatedly() {
    on_kitchen(async |kitchen| {
        let mut times = Vec::new();
        let created = kitchen.post("/notes", &json!({ "title": "x" })).await.created();
        let path = path("/notes", &created);
        for _ in 0..3 {
            times.push(kitchen.delete(&path).await.ok()["deleted_at"].to_string());
            assert_eq!(post(kitchen, format!("{path}/restore")).await.ok(), created);
        }
        assert!(times.is_sorted() && times[0] < times[2], "the times are not distinct: {times:?}");
    });
}

#[test]
fn restore_of_an_active_record_is_not_deleted() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/notes", &json!({ "title": "x" })).await.created();
        let path = path("/notes", &created);
        post(kitchen, format!("{path}/restore")).await.problem("not_deleted");
        assert_eq!(kitchen.get(&path).await.ok(), created);
    });
}

#[test]
fn restore_of_an_unknown_record_is_not_found() {
    on_kitchen(async |kitchen| {
        post(kitchen, "/notes/4711/restore").await.problem("not_found");
        post(kitchen, "/drafts/nothing/restore").await.problem("not_found");
        post(kitchen, "/notes/x/restore").await.expect(kitchen.get("/notes/x").await.status());
    });
}

#[test]
fn other_methods_are_rejected() {
    on_kitchen(async |kitchen| {
        let (created, deleted) = deleted_note(kitchen, json!({ "title": "x" })).await;
        let path = path("/notes", &created);
        for (target, allowed) in [(format!("{path}/restore"), "POST"), (format!("{path}/permanent"), "DELETE")] {
            let answer = kitchen.get(&target).await;
            let mut methods = ["OPTIONS", allowed];
            methods.sort_unstable();
            assert_eq!(answer.allow(), methods);
            answer.problem("method_not_allowed");
        }
        assert_eq!(kitchen.get(format!("{path}?include_deleted=true")).await.ok(), deleted);
    });
}

#[test]
fn restore_accepts_every_type_of_key() {
    on_kitchen(async |kitchen| {
        let draft = kitchen.post("/drafts", &json!({ "slug": "a b/c", "wordCount": 1 })).await.created();
        kitchen.delete("/drafts/a%20b%2Fc").await.ok();
        assert_eq!(post(kitchen, "/drafts/a%20b%2Fc/restore").await.ok(), draft);
        kitchen.delete("/drafts/a%20b%2Fc").await.ok();
        assert_eq!(kitchen.post("/drafts/restore", &json!({ "ids": ["a b/c"] })).await.ok(), json!({ "restored": 1 }));
        assert_eq!(kitchen.get("/drafts/a%20b%2Fc").await.ok(), draft);

        let member = kitchen.post("/members", &json!({ "handle": "ann" })).await.created();
        let path = path("/members", &member);
        kitchen.delete(&path).await.ok();
        assert_eq!(post(kitchen, format!("{path}/restore")).await.ok(), member);
        kitchen.delete(&path).await.ok();
        assert_eq!(kitchen.post("/members/restore", &ids([&member])).await.ok(), json!({ "restored": 1 }));
        assert_eq!(kitchen.get(&path).await.ok(), member);
    });
}

#[test]
fn several_records_are_restored_by_id() {
    on_kitchen_with_transactions(async |kitchen| {
        let notes = deleted_notes(kitchen, 1..=3).await;
        let answer = kitchen.post("/notes/restore", &ids(&notes[..2])).await.ok();
        assert_eq!(answer, json!({ "restored": 2 }));
        assert_eq!(active(kitchen).await, [1, 2]);
    });
}

#[test]
fn active_and_unknown_ids_are_not_counted() {
    on_kitchen(async |kitchen| {
        let notes = deleted_notes(kitchen, 1..=2).await;
        let active_note = kitchen.post("/notes", &json!({ "title": "x", "rank": 3 })).await.created();
        let body = json!({ "ids": [notes[0]["id"], 4711, active_note["id"]] });
        assert_eq!(kitchen.post("/notes/restore", &body).await.ok(), json!({ "restored": 1 }));
        assert_eq!(active(kitchen).await, [1, 3]);
        assert_eq!(kitchen.get(path("/notes", &active_note)).await.ok(), active_note);
        assert_eq!(kitchen.post("/notes/restore", &json!({ "ids": [] })).await.ok(), json!({ "restored": 0 }));
        let twice = kitchen.post("/notes/restore", &ids([&notes[1], &notes[1]])).await;
        twice.problem("validation_failed");
        assert_eq!(active(kitchen).await, [1, 3]);
    });
}

#[test]
fn several_records_are_restored_by_filters() {
    on_kitchen(async |kitchen| {
        deleted_notes(kitchen, 1..=4).await;
        create_all(kitchen, "/notes", [json!({ "title": "x", "rank": 9 })]).await;
        assert_eq!(post(kitchen, "/notes/restore?rank__gt=2&title__ne=4").await.ok(), json!({ "restored": 1 }));
        assert_eq!(active(kitchen).await, [3, 9]);
        assert_eq!(
            post(kitchen, "/notes/restore?rank__gt=2").await.ok(),
            json!({ "restored": 1 }),
            "only deleted records count"
        );
        assert_eq!(post(kitchen, "/notes/restore?title=nothing").await.ok(), json!({ "restored": 0 }));
        assert_eq!(active(kitchen).await, [3, 4, 9]);
    });
}

#[test]
fn deletion_time_is_a_filter_of_a_restore() {
    on_kitchen_with_transactions(async |kitchen| {
        deleted_notes(kitchen, 1..=2).await;
        let between = now();
        deleted_notes(kitchen, [3]).await;
        let answer = post(kitchen, format!("/notes/restore?deleted_at__lt={between}")).await.ok();
        assert_eq!(answer, json!({ "restored": 2 }));
        assert_eq!(active(kitchen).await, [1, 2]);
    });
}

#[test]
fn all_restores_every_soft_deleted_record() {
    on_kitchen_with_transactions(async |kitchen| {
        deleted_notes(kitchen, 1..=3).await;
        create_all(kitchen, "/notes", [json!({ "title": "x", "rank": 9 })]).await;
        assert_eq!(post(kitchen, "/notes/restore?all=true").await.ok(), json!({ "restored": 3 }));
        assert_eq!(active(kitchen).await, [1, 2, 3, 9]);
        assert_eq!(post(kitchen, "/notes/restore?all=true").await.ok(), json!({ "restored": 0 }));
    });
}

#[test]
fn restore_without_a_selection_is_rejected() {
    on_kitchen(async |kitchen| {
        deleted_notes(kitchen, 1..=2).await;
        for query in ["", "?all=false"] {
            post(kitchen, format!("/notes/restore{query}")).await.problem("validation_failed");
        }
        for (query, parameters) in [
            ("?all=true&rank=1", vec!["all"]),
            ("?all=yes", vec!["all"]),
            ("?all=true&all=true", vec!["all"]),
            ("?rank=1&sort=rank", vec!["sort"]),
            ("?rank=1&skip=1", vec!["skip"]),
            ("?rank=1&limit=1", vec!["limit"]),
            ("?rank=1&colour=red", vec!["colour"]),
            ("?rank=x", vec!["rank"]),
            ("?created_at__lt=2020-01-01T00:00:00Z", vec!["created_at__lt"]),
        ] {
            let problem = post(kitchen, format!("/notes/restore{query}")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), parameters, "{query}");
        }
        let lenient = post(kitchen, "/notes/restore?rank=1&colour=red").header("prefer", "handling=lenient").await;
        lenient.problem("validation_failed");
        assert_eq!(active(kitchen).await, [0; 0]);
    });
}

#[test]
fn ids_and_filters_are_exclusive() {
    on_kitchen(async |kitchen| {
        let notes = deleted_notes(kitchen, 1..=2).await;
        for query in ["?rank=1", "?all=true"] {
            let answer = kitchen.post(format!("/notes/restore{query}"), &ids(&notes)).await;
            answer.problem("validation_failed");
        }
        assert_eq!(active(kitchen).await, [0; 0]);
    });
}

#[test]
fn body_must_be_a_list_of_ids() {
    on_kitchen(async |kitchen| {
        let notes = deleted_notes(kitchen, 1..=2).await;
        for (body, pointer) in [
            (json!({ "ids": 5 }), "/ids"),
            (json!({ "ids": null }), "/ids"),
            (json!({}), "/ids"),
            (json!({ "ids": [notes[0]["id"]], "all": true }), "/all"),
            (json!([1, 2]), ""),
        ] {
            let problem = kitchen.post("/notes/restore", &body).await.problem("validation_failed");
            assert_eq!(problem.pointers(), [pointer], "{body}");
        }
        let wrong = json!({ "ids": [notes[0]["id"], "x"] });
        let problem = kitchen.post("/notes/restore", &wrong).await.problem("validation_failed");
        assert_eq!(problem.only().index, Some(1));
        kitchen.post_bytes("/notes/restore", "{\"ids\": [").await.problem("malformed_json");
        let form = post(kitchen, "/notes/restore").body("application/x-www-form-urlencoded", "ids=1").await;
        form.problem("unsupported_media_type");
        assert_eq!(active(kitchen).await, [0; 0]);
    });
}

#[test]
fn restore_of_several_records_is_atomic() {
    on_kitchen_with_transactions(async |kitchen| {
        let mut members = Vec::new();
        for _ in 0..2 {
            let member = kitchen.post("/members", &json!({ "handle": "ann" })).await.created();
            kitchen.delete(path("/members", &member)).await.ok();
            members.push(member);
        }
        let other = kitchen.post("/members", &json!({ "handle": "bob" })).await.created();
        kitchen.delete(path("/members", &other)).await.ok();
        post(kitchen, "/members/restore?all=true").await.problem("conflict");
        kitchen.post("/members/restore", &ids([&other, &members[0], &members[1]])).await.problem("conflict");
        assert_eq!(kitchen.get("/members").await.ok()["total"], 0);
        assert_eq!(kitchen.get("/members?only_deleted=true").await.ok()["total"], 3);
        assert_eq!(kitchen.post("/members/restore", &ids([&other, &members[0]])).await.ok(), json!({ "restored": 2 }));
    });
}
