//! A soft-deleted record is not found, unless `include_deleted` asks for it; updates keep it deleted.

use crud_tests::fixtures::{deleted_note, now, path};
use crud_tests::{on_kitchen, on_shop};
use serde_json::{Value, json};

#[test]
fn soft_delete_changes_only_the_deletion_fields() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/notes", &json!({ "title": "x", "rank": 1 })).await.created();
        assert_eq!((&created["is_deleted"], &created["deleted_at"]), (&json!(false), &Value::Null));
        let before = now();
        let deleted = kitchen.delete(path("/notes", &created)).await.ok();
        let at = deleted["deleted_at"].as_str().expect("a time").to_owned();
        assert!(before <= at && at <= now(), "{before} <= {at}");
        let mut expected = created.clone();
        expected["is_deleted"] = json!(true);
        expected["deleted_at"] = json!(at);
        assert_eq!(deleted, expected);
        let stored = kitchen.get("/notes?include_deleted=true").await.ok();
        assert_eq!(stored["data"], json!([deleted]));
    });
}

#[test]
fn soft_deleted_record_is_not_found() {
    on_kitchen(async |kitchen| {
        let (created, _) = deleted_note(kitchen, json!({ "title": "x" })).await;
        let path = path("/notes", &created);
        let problem = kitchen.get(&path).await.problem("not_found");
        assert_eq!(problem.detail, format!("Note with id {} not found", created["id"]));
        kitchen.head(&path).await.expect(404);
        kitchen.get(format!("{path}?include_deleted=false")).await.problem("not_found");
    });
}

#[test]
fn include_deleted_shows_a_soft_deleted_record() {
    on_kitchen(async |kitchen| {
        let (created, deleted) = deleted_note(kitchen, json!({ "title": "x" })).await;
        let path = format!("{}?include_deleted=true", path("/notes", &created));
        let answer = kitchen.get(&path).await.expect(200);
        let etag = answer.etag();
        assert_eq!(answer.into_json(), deleted);
        kitchen.head(&path).await.expect(200);
        kitchen.get(&path).header("if-none-match", &etag).await.expect(304);
    });
}

#[test]
fn active_record_is_shown_with_any_include_deleted() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/notes", &json!({ "title": "x" })).await.created();
        for query in ["", "?include_deleted=true", "?include_deleted=false"] {
            assert_eq!(kitchen.get(path("/notes", &created) + query).await.ok(), created, "{query}");
        }
    });
}

#[test]
fn default_of_lists_does_not_apply_to_a_single_record() {
    on_kitchen(async |kitchen| {
        kitchen.post("/drafts", &json!({ "slug": "a", "wordCount": 1 })).await.created();
        let deleted = kitchen.delete("/drafts/a").await.ok();
        kitchen.get("/drafts/a").await.problem("not_found");
        assert_eq!(kitchen.get("/drafts/a?include_deleted=true").await.ok(), deleted);
    });
}

#[test]
fn second_delete_is_not_found() {
    on_kitchen(async |kitchen| {
        let (created, deleted) = deleted_note(kitchen, json!({ "title": "x" })).await;
        let path = path("/notes", &created);
        kitchen.delete(&path).await.problem("not_found");
        assert_eq!(kitchen.get(format!("{path}?include_deleted=true")).await.ok(), deleted);
        kitchen.delete("/notes/4711").await.problem("not_found");
    });
}

#[test]
fn minimal_delete_is_204() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/notes", &json!({ "title": "x" })).await.created();
        let path = path("/notes", &created);
        kitchen.delete(&path).header("prefer", "return=minimal").await.expect(204);
        let stored = kitchen.get(format!("{path}?include_deleted=true")).await.ok();
        assert_eq!(stored["is_deleted"], true);
    });
}

#[test]
fn update_keeps_a_record_soft_deleted() {
    on_kitchen(async |kitchen| {
        let (created, deleted) = deleted_note(kitchen, json!({ "title": "x", "rank": 1 })).await;
        let path = path("/notes", &created);
        let updated = kitchen.put(&path, &json!({ "title": "y" })).await.ok();
        assert_eq!((&updated["title"], &updated["is_deleted"]), (&json!("y"), &json!(true)));
        assert_eq!(updated["deleted_at"], deleted["deleted_at"]);
        assert!(updated["updated_at"].as_str() > deleted["updated_at"].as_str(), "{updated}");
        let patched = kitchen.patch(&path, &json!({ "rank": null })).await.ok();
        assert_eq!((&patched["rank"], &patched["is_deleted"]), (&Value::Null, &json!(true)));
        kitchen.get(&path).await.problem("not_found");
        assert_eq!(kitchen.get(format!("{path}?include_deleted=true")).await.ok(), patched);
    });
}

#[test]
fn update_restores_with_auto_restore() {
    on_kitchen(async |kitchen| {
        for (slug, body) in [("a", json!({ "wordCount": 2 })), ("b", json!({})), ("c", json!({ "wordCount": 1 }))] {
            kitchen.post("/drafts", &json!({ "slug": slug, "wordCount": 1 })).await.created();
            let path = format!("/drafts/{slug}");
            kitchen.delete(&path).await.ok();
            let updated = kitchen.patch(&path, &body).await.ok();
            assert_eq!((&updated["isDeleted"], &updated["removedAt"]), (&json!(false), &Value::Null), "{body}");
            assert_eq!(kitchen.get(&path).await.ok(), updated, "{body}");
        }
    });
}

#[test]
fn rejected_update_does_not_restore() {
    on_kitchen(async |kitchen| {
        kitchen.post("/drafts", &json!({ "slug": "a", "wordCount": 1 })).await.created();
        let deleted = kitchen.delete("/drafts/a").await.ok();
        kitchen.patch("/drafts/a", &json!({ "wordCount": -1 })).await.problem("validation_failed");
        assert_eq!(kitchen.get("/drafts/a?include_deleted=true").await.ok(), deleted);
    });
}

#[test]
fn deletion_fields_are_in_json_even_if_undeclared() {
    on_kitchen(async |kitchen| {
        let draft = kitchen.post("/drafts", &json!({ "slug": "a", "wordCount": 1 })).await.created();
        let fields: Vec<_> = draft.as_object().expect("an object").keys().collect();
        assert_eq!(fields, ["slug", "wordCount", "touchedAt", "removedAt", "isDeleted"]);
        let deleted = kitchen.delete("/drafts/a").await.ok();
        assert_eq!(deleted["isDeleted"], true);
        assert!(deleted["removedAt"].is_string(), "{deleted}");
        assert_eq!(deleted["touchedAt"], draft["touchedAt"]);
        let note = kitchen.post("/notes", &json!({ "title": "x" })).await.created();
        let fields: Vec<_> = note.as_object().expect("an object").keys().collect();
        assert_eq!(fields, ["id", "title", "rank", "created_at", "updated_at", "is_deleted", "deleted_at"]);
    });
}

#[test]
fn deletion_fields_in_a_body_are_ignored() {
    on_kitchen(async |kitchen| {
        let state = json!({ "title": "x", "is_deleted": true, "deleted_at": "2020-01-01T00:00:00Z" });
        let created = kitchen.post("/notes", &state).await.created();
        assert_eq!((&created["is_deleted"], &created["deleted_at"]), (&json!(false), &Value::Null));
        let path = path("/notes", &created);
        assert_eq!(kitchen.put(&path, &state).await.ok(), created);
        let deleted = kitchen.delete(&path).await.ok();
        assert_eq!(kitchen.put(&path, &created).await.ok(), deleted, "a record read before can be sent back");
        let draft = json!({ "slug": "a", "wordCount": 1, "isDeleted": true, "removedAt": null });
        assert_eq!(kitchen.post("/drafts", &draft).await.created()["isDeleted"], false);
    });
}

#[test]
fn delete_and_update_honour_if_match() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/notes", &json!({ "title": "x" })).await.created();
        let path = path("/notes", &created);
        let old = kitchen.get(&path).await.etag();
        kitchen.put(&path, &json!({ "title": "y" })).await.ok();
        let current = kitchen.get(&path).await.etag();
        kitchen.delete(&path).header("if-match", &old).await.problem("precondition_failed");
        assert_eq!(kitchen.get(&path).await.ok()["is_deleted"], false);
        kitchen.delete(&path).header("if-match", &current).await.ok();
        let body = json!({ "title": "z" });
        let outdated = kitchen.put(&path, &body).header("if-match", &current).await;
        outdated.problem("precondition_failed");
        let deleted = kitchen.get(format!("{path}?include_deleted=true")).await.etag();
        kitchen.put(&path, &body).header("if-match", &deleted).await.ok();
    });
}

#[test]
fn include_deleted_is_a_boolean_given_once() {
    on_kitchen(async |kitchen| {
        let (created, _) = deleted_note(kitchen, json!({ "title": "x" })).await;
        let path = path("/notes", &created);
        for bad in ["", "yes", "1", "True", "null"] {
            let problem = kitchen.get(format!("{path}?include_deleted={bad}")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), ["include_deleted"], "{bad}");
        }
        let twice = kitchen.get(format!("{path}?include_deleted=true&include_deleted=true")).await;
        assert_eq!(twice.problem("validation_failed").parameters(), ["include_deleted"]);
    });
}

#[test]
fn resource_without_soft_delete_has_none_of_its_routes_and_parameters() {
    on_kitchen(async |kitchen| {
        let post = kitchen.post("/posts", &json!({ "title": "x" })).await.created();
        let path = path("/posts", &post);
        let problem = kitchen.get(format!("{path}?include_deleted=true")).await.problem("validation_failed");
        assert_eq!(problem.parameters(), ["include_deleted"]);
        kitchen.post(format!("{path}/restore"), &json!({})).await.problem("route_not_found");
        kitchen.delete(format!("{path}/permanent")).await.problem("route_not_found");
        assert_eq!(kitchen.delete(&path).await.ok(), post);
        kitchen.post("/posts", &json!({ "title": "x", "is_deleted": false })).await.problem("validation_failed");
    });
    on_shop(async |shop| {
        let problem = shop.get("/categories?only_deleted=true").await.problem("validation_failed");
        assert_eq!(problem.parameters(), ["only_deleted"]);
    });
}

#[test]
fn disabled_operations_have_no_routes() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/kept", &json!({ "name": "x" })).await.created();
        let path = path("/kept", &created);
        let deleted = kitchen.delete(&path).await.ok();
        kitchen.request(reqwest::Method::POST, format!("{path}/restore")).await.problem("route_not_found");
        kitchen.delete(format!("{path}/permanent")).await.problem("route_not_found");
        kitchen.request(reqwest::Method::POST, "/kept/restore?all=true").await.problem("method_not_allowed");
        kitchen.delete("/kept/deleted?all=true").await.problem("validation_failed");
        assert_eq!(kitchen.get(format!("{path}?include_deleted=true")).await.ok(), deleted);
    });
}
