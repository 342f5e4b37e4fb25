//! A purge deletes soft-deleted records permanently, and no others.

use crud_tests::fixtures::{column, deleted_note, id, now, path};
use crud_tests::{Client, on_kitchen, on_kitchen_with_transactions};
use serde_json::{Value, json};

/// The ranks of all stored notes, soft-deleted or not.
async fn stored(kitchen: &Client) -> Vec<Value> {
    column(&kitchen.get("/notes?include_deleted=true&sort=rank").await.ok(), "rank")
}

async fn deleted_notes(kitchen: &Client, ranks: impl IntoIterator<Item = i32>) {
    for rank in ranks {
        deleted_note(kitchen, json!({ "title": rank.to_string(), "rank": rank })).await;
    }
}

async fn team(kitchen: &Client, name: &str) -> Value {
    kitchen.post("/teams", &json!({ "name": name })).await.created()
}

#[test]
fn purged_record_is_gone() {
    on_kitchen(async |kitchen| {
        let (created, deleted) = deleted_note(kitchen, json!({ "title": "x" })).await;
        let path = path("/notes", &created);
        assert_eq!(kitchen.delete(format!("{path}/permanent")).await.ok(), deleted);
        kitchen.get(format!("{path}?include_deleted=true")).await.problem("not_found");
        kitchen.delete(format!("{path}/permanent")).await.problem("not_found");
        kitchen.request(reqwest::Method::POST, format!("{path}/restore")).await.problem("not_found");
        kitchen.put(&path, &json!({ "title": "y" })).await.problem("not_found");
        assert_eq!(stored(kitchen).await, [0; 0]);
        let next = kitchen.post("/notes", &json!({ "title": "y" })).await.created();
        assert_ne!(id(&next), id(&created), "a key was assigned twice");
    });
}

#[test]
fn active_record_is_not_purged() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/notes", &json!({ "title": "x" })).await.created();
        let path = path("/notes", &created);
        kitchen.delete(format!("{path}/permanent")).await.problem("not_deleted");
        assert_eq!(kitchen.get(&path).await.ok(), created);
        kitchen.delete("/notes/4711/permanent").await.problem("not_found");
    });
}

#[test]
fn minimal_purge_is_204() {
    on_kitchen(async |kitchen| {
        let (created, _) = deleted_note(kitchen, json!({ "title": "x" })).await;
        let path = format!("{}/permanent", path("/notes", &created));
        kitchen.delete(path).header("prefer", "return=minimal").await.expect(204);
        assert_eq!(stored(kitchen).await, [0; 0]);
    });
}

#[test]
fn purge_honours_if_match() {
    on_kitchen(async |kitchen| {
        let (created, _) = deleted_note(kitchen, json!({ "title": "x", "rank": 1 })).await;
        let path = path("/notes", &created);
        let etag = kitchen.get(format!("{path}?include_deleted=true")).await.etag();
        kitchen.put(&path, &json!({ "title": "y" })).await.ok();
        let purge = format!("{path}/permanent");
        kitchen.delete(&purge).header("if-match", &etag).await.problem("precondition_failed");
        assert_eq!(stored(kitchen).await, [1]);
        let etag = kitchen.get(format!("{path}?include_deleted=true")).await.etag();
        kitchen.delete(&purge).header("if-match", &etag).await.ok();
        assert_eq!(stored(kitchen).await, [0; 0]);
    });
}

#[test]
fn purge_accepts_every_type_of_key() {
    on_kitchen(async |kitchen| {
        kitchen.post("/drafts", &json!({ "slug": "a b", "wordCount": 1 })).await.created();
        let deleted = kitchen.delete("/drafts/a%20b").await.ok();
        assert_eq!(kitchen.delete("/drafts/a%20b/permanent").await.ok(), deleted);
        assert_eq!(kitchen.get("/drafts").await.ok(), json!([]));
        let member = kitchen.post("/members", &json!({})).await.created();
        let path = path("/members", &member);
        let deleted = kitchen.delete(&path).await.ok();
        assert_eq!(kitchen.delete(format!("{path}/permanent")).await.ok(), deleted);
        assert_eq!(kitchen.get("/members?include_deleted=true").await.ok()["total"], 0);
    });
}

#[test]
fn filtered_purge_keeps_active_records() {
    on_kitchen_with_transactions(async |kitchen| {
        deleted_notes(kitchen, 1..=4).await;
        kitchen.post("/notes", &json!({ "title": "x", "rank": 9 })).await.created();
        assert_eq!(kitchen.delete("/notes/deleted?rank__gt=2").await.ok(), json!({ "deleted": 2 }));
        assert_eq!(stored(kitchen).await, [1, 2, 9]);
        assert_eq!(kitchen.delete("/notes/deleted?title=nothing").await.ok(), json!({ "deleted": 0 }));
        assert_eq!(stored(kitchen).await, [1, 2, 9]);
    });
}

#[test]
fn deletion_time_is_a_filter_of_a_purge() {
    on_kitchen_with_transactions(async |kitchen| {
        deleted_notes(kitchen, 1..=2).await;
        let between = now();
        deleted_notes(kitchen, [3]).await;
        let answer = kitchen.delete(format!("/notes/deleted?deleted_at__lt={between}")).await.ok();
        assert_eq!(answer, json!({ "deleted": 2 }));
        assert_eq!(stored(kitchen).await, [3]);
        kitchen.post("/drafts", &json!({ "slug": "a", "wordCount": 1 })).await.created();
        kitchen.delete("/drafts/a").await.ok();
        let answer = kitchen.delete("/drafts/deleted?removedAt__gt=2020-01-01T00:00:00Z").await.ok();
        assert_eq!(answer, json!({ "deleted": 1 }));
    });
}

#[test]
fn all_purges_every_soft_deleted_record() {
    on_kitchen_with_transactions(async |kitchen| {
        deleted_notes(kitchen, 1..=3).await;
        kitchen.post("/notes", &json!({ "title": "x", "rank": 9 })).await.created();
        assert_eq!(kitchen.delete("/notes/deleted?all=true").await.ok(), json!({ "deleted": 3 }));
        assert_eq!(stored(kitchen).await, [9]);
        assert_eq!(kitchen.delete("/notes/deleted?all=true").await.ok(), json!({ "deleted": 0 }));
    });
}

#[test]
fn purge_without_a_selection_is_rejected() {
    on_kitchen(async |kitchen| {
        deleted_notes(kitchen, 1..=2).await;
        for query in ["", "?all=false"] {
            kitchen.delete(format!("/notes/deleted{query}")).await.problem("validation_failed");
        }
        for (query, parameter) in [
            ("?all=true&rank=1", "all"),
            ("?all=1", "all"),
            ("?rank=1&sort=rank", "sort"),
            ("?rank=1&skip=0", "skip"),
            ("?rank=1&limit=1", "limit"),
            ("?rank=1&colour=red", "colour"),
            ("?rank=x", "rank"),
            ("?deleted_at__lt=soon", "deleted_at__lt"),
        ] {
            let problem = kitchen.delete(format!("/notes/deleted{query}")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), [parameter], "{query}");
        }
        assert_eq!(stored(kitchen).await, [1, 2]);
        let answer = kitchen.get("/notes/deleted").await;
        assert_eq!(answer.allow(), ["DELETE", "OPTIONS"]);
        answer.problem("method_not_allowed");
    });
}

#[test]
fn referenced_record_is_not_purged() {
    on_kitchen(async |kitchen| {
        let team = team(kitchen, "a").await;
        let member = kitchen.post("/members", &json!({ "team_id": team["id"] })).await.created();
        let (team, member) = (path("/teams", &team), path("/members", &member));
        kitchen.delete(&team).await.ok();
        kitchen.delete(format!("{team}/permanent")).await.problem("referenced");
        kitchen.delete(&member).await.ok();
        kitchen.delete(format!("{team}/permanent")).await.problem("referenced");
        assert_eq!(kitchen.get("/teams?only_deleted=true").await.ok()["total"], 1);
        kitchen.delete(format!("{member}/permanent")).await.ok();
        kitchen.delete(format!("{team}/permanent")).await.ok();
        assert_eq!(kitchen.get("/teams?include_deleted=true").await.ok()["total"], 0);
    });
}

#[test]
fn purge_of_several_records_is_atomic() {
    on_kitchen_with_transactions(async |kitchen| {
        let (free, held) = (team(kitchen, "a").await, team(kitchen, "b").await);
        kitchen.post("/members", &json!({ "team_id": held["id"] })).await.created();
        for team in [&free, &held] {
            kitchen.delete(path("/teams", team)).await.ok();
        }
        kitchen.delete("/teams/deleted?all=true").await.problem("referenced");
        kitchen.delete("/teams/deleted?name__in=a,b").await.problem("referenced");
        assert_eq!(kitchen.get("/teams?only_deleted=true").await.ok()["total"], 2);
        assert_eq!(kitchen.delete("/teams/deleted?name=a").await.ok(), json!({ "deleted": 1 }));
    });
}

#[test]
fn records_that_refer_to_each_other_can_be_purged_in_one_request() {
    on_kitchen_with_transactions(async |kitchen| {
        let parent = team(kitchen, "a").await;
        let child = kitchen.post("/teams", &json!({ "name": "b", "parent_id": parent["id"] })).await.created();
        for team in [&parent, &child] {
            kitchen.delete(path("/teams", team)).await.ok();
        }
        kitchen.delete(format!("{}/permanent", path("/teams", &parent))).await.problem("referenced");
        assert_eq!(kitchen.delete("/teams/deleted?all=true").await.ok(), json!({ "deleted": 2 }));
        assert_eq!(kitchen.get("/teams?include_deleted=true").await.ok()["total"], 0);
    });
}

#[test]
fn purge_applies_on_delete() {
    on_kitchen(async |kitchen| {
        let team = team(kitchen, "a").await;
        let badge = kitchen.post("/badges", &json!({ "team_id": team["id"] })).await.created();
        let fan = kitchen.post("/fans", &json!({ "team_id": team["id"] })).await.created();
        kitchen.delete(path("/teams", &team)).await.ok();
        kitchen.get(path("/badges", &badge)).await.ok();
        kitchen.delete(format!("{}/permanent", path("/teams", &team))).await.ok();
        kitchen.get(path("/badges", &badge)).await.problem("not_found");
        assert_eq!(kitchen.get(path("/fans", &fan)).await.ok()["team_id"], Value::Null);
    });
}
