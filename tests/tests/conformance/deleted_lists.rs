//! A list includes or selects soft-deleted records only where its parameters say so.

use crud_tests::fixtures::{column, deleted_note, now};
use crud_tests::{Client, on_kitchen};
use serde_json::{Value, json};

/// Creates the notes 1 to `count`; the even ones are soft-deleted.
async fn notes(kitchen: &Client, count: i32) {
    for rank in 1..=count {
        let body = json!({ "title": format!("note {rank}"), "rank": rank });
        if rank % 2 == 0 {
            deleted_note(kitchen, body).await;
        } else {
            kitchen.post("/notes", &body).await.created();
        }
    }
}

/// Creates the drafts `a`, active, and `b`, soft-deleted.
async fn drafts(kitchen: &Client) {
    for (slug, count) in [("a", 1), ("b", 2)] {
        kitchen.post("/drafts", &json!({ "slug": slug, "wordCount": count })).await.created();
    }
    kitchen.delete("/drafts/b").await.ok();
}

async fn ranks(kitchen: &Client, query: &str) -> Vec<Value> {
    column(&kitchen.get(format!("/notes?sort=rank{query}")).await.ok(), "rank")
}

async fn slugs(kitchen: &Client, query: &str) -> Vec<Value> {
    column(&kitchen.get(format!("/drafts{query}")).await.ok(), "slug")
}

#[test]
fn list_parameters_select_deleted_records() {
    on_kitchen(async |kitchen| {
        notes(kitchen, 4).await;
        for (query, expected) in [
            ("", vec![1, 3]),
            ("&include_deleted=false", vec![1, 3]),
            ("&include_deleted=true", vec![1, 2, 3, 4]),
            ("&only_deleted=false", vec![1, 3]),
            ("&only_deleted=true", vec![2, 4]),
            ("&only_deleted=true&include_deleted=true", vec![2, 4]),
            ("&only_deleted=true&include_deleted=false", vec![2, 4]),
            ("&only_deleted=false&include_deleted=true", vec![1, 2, 3, 4]),
        ] {
            assert_eq!(ranks(kitchen, query).await, expected, "{query}");
        }
    });
}

#[test]
fn total_counts_the_selected_records() {
    on_kitchen(async |kitchen| {
        notes(kitchen, 5).await;
        for (query, total) in [("?", 3), ("?include_deleted=true&", 5), ("?only_deleted=true&", 2)] {
            let answer = kitchen.get(format!("/notes{query}limit=1")).await.expect(200);
            assert_eq!(answer.require("x-total-count"), total.to_string(), "{query}");
            let list = answer.into_json();
            assert_eq!((&list["total"], &list["pages"]), (&json!(total), &json!(total)), "{query}");
        }
    });
}

#[test]
fn deleted_records_may_be_included_by_default() {
    on_kitchen(async |kitchen| {
        drafts(kitchen).await;
        assert_eq!(slugs(kitchen, "").await, ["a", "b"]);
        assert_eq!(slugs(kitchen, "?include_deleted=true").await, ["a", "b"]);
        assert_eq!(slugs(kitchen, "?include_deleted=false").await, ["a"]);
        assert_eq!(slugs(kitchen, "?only_deleted=true").await, ["b"]);
        let list = kitchen.get("/drafts").await.ok();
        assert_eq!(column(&list, "isDeleted"), [false, true]);
    });
}

#[test]
fn filters_sort_and_pagination_apply_to_deleted_records() {
    on_kitchen(async |kitchen| {
        notes(kitchen, 6).await;
        assert_eq!(ranks(kitchen, "&include_deleted=true&rank__gte=2&skip=1&limit=2").await, [3, 4]);
        assert_eq!(ranks(kitchen, "&only_deleted=true&title__like=%256").await, [6]);
        assert_eq!(ranks(kitchen, "&rank__in=1,2,3").await, [1, 3]);
        let list = kitchen.get("/notes?sort=-rank&only_deleted=true").await.ok();
        assert_eq!(column(&list, "rank"), [6, 4, 2]);
    });
}

#[test]
fn deletion_time_is_a_filter_when_deleted_records_are_included() {
    on_kitchen(async |kitchen| {
        notes(kitchen, 2).await;
        let between = now();
        notes(kitchen, 2).await;
        let before = format!("&deleted_at__lt={between}");
        assert_eq!(ranks(kitchen, &format!("&only_deleted=true{before}")).await, [2]);
        assert_eq!(ranks(kitchen, &format!("&include_deleted=true{before}")).await, [2]);
        assert_eq!(ranks(kitchen, "&include_deleted=true&deleted_at__isnull=true").await, [1, 1]);
        for query in ["", "&include_deleted=false", "&only_deleted=false"] {
            let problem = kitchen.get(format!("/notes?sort=rank{query}{before}")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), ["deleted_at__lt"], "{query}");
        }
    });
}

#[test]
fn deletion_time_is_a_filter_when_included_by_default_or_declared() {
    on_kitchen(async |kitchen| {
        drafts(kitchen).await;
        assert_eq!(slugs(kitchen, "?removedAt__isnull=false").await, ["b"]);
        assert_eq!(slugs(kitchen, "?removedAt__gt=2020-01-01T00:00:00Z").await, ["b"]);
        assert_eq!(slugs(kitchen, "?removedAt__isnull=true&include_deleted=false").await, ["a"]);
        assert_eq!(slugs(kitchen, "?sort=-removedAt").await, ["b", "a"]);
    });
}

#[test]
fn declared_is_deleted_is_filterable_and_sortable() {
    on_kitchen(async |kitchen| {
        for (code, amount) in [("a", 1), ("b", 2), ("c", 3)] {
            kitchen.post("/slips", &json!({ "code": code, "amount": amount })).await.created();
        }
        let found = kitchen.get("/slips?code=b").await.ok();
        kitchen.delete(format!("/slips/{}", found["data"][0]["id"])).await.ok();
        let codes = async |query: &str| column(&kitchen.get(format!("/slips{query}")).await.ok(), "code");
        assert_eq!(codes("?include_deleted=true&is_deleted=true").await, ["b"]);
        assert_eq!(codes("?include_deleted=true&is_deleted__ne=true").await, ["a", "c"]);
        assert_eq!(codes("?include_deleted=true&sort=-is_deleted,-code").await, ["b", "c", "a"]);
        assert_eq!(codes("?is_deleted=true").await, [""; 0]);
    });
}

#[test]
fn parameters_are_booleans_given_once() {
    on_kitchen(async |kitchen| {
        for name in ["include_deleted", "only_deleted"] {
            for bad in ["", "yes", "1", "TRUE"] {
                let problem = kitchen.get(format!("/notes?{name}={bad}")).await.problem("validation_failed");
                assert_eq!(problem.parameters(), [name], "{bad}");
            }
            let twice = kitchen.get(format!("/notes?{name}=true&{name}=false")).await.problem("validation_failed");
            assert_eq!(twice.parameters(), [name]);
            let unknown = kitchen.get(format!("/posts?{name}=true")).await.problem("validation_failed");
            assert_eq!(unknown.parameters(), [name]);
        }
        let misspelt = kitchen.get("/notes?include_delete=true").await.problem("validation_failed");
        assert!(misspelt.at("include_delete").contains("include_deleted"), "{misspelt}");
    });
}
