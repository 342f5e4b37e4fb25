//! Owners of records.

use crud_runtime::Service;
use crud_tests::fixtures::column;
use crud_tests::on_each_backend;
use serde_json::json;

use crate::resources::Note;
use crate::support::{caller, on_service};

#[test]
fn creator_is_the_owner() {
    on_service(async |api| {
        let ada = caller(api, "1", &[], &[]);
        let note = ada.post("/notes", &json!({ "title": "a" })).await.created();
        assert_eq!(note["user_id"], 1);
        let same = ada.post("/notes", &json!({ "title": "b", "user_id": 1 })).await.created();
        assert_eq!(same["user_id"], 1);
        let path = format!("/notes/{}", note["id"]);
        assert_eq!(ada.put(&path, &note).await.ok()["user_id"], 1);
        let batch = ada.post("/notes/batch", &json!({ "items": [{ "title": "d" }] })).await.ok();
        assert_eq!(batch["items"][0]["user_id"], 1);
        api.post("/notes", &json!({ "title": "a" })).await.problem("authentication_failed");
    });
}

#[test]
fn another_owner_is_refused() {
    on_service(async |api| {
        let ada = caller(api, "1", &[], &[]);
        let body = json!({ "title": "a", "user_id": 2 });
        let refused = ada.post("/notes", &body).await.problem("validation_failed");
        assert_eq!((refused.only().at.as_str(), refused.only().code.as_str()), ("pointer /user_id", "scope"));
        let refused = ada.post("/notes/batch", &json!({ "items": [body] })).await.expect(207);
        assert_eq!(refused.json()["errors"][0]["code"], "validation_failed");
        let note = ada.post("/notes", &json!({ "title": "a" })).await.created();
        let refused = ada.put(format!("/notes/{}", note["id"]), &body).await.problem("validation_failed");
        assert_eq!((refused.only().at.as_str(), refused.only().code.as_str()), ("pointer /user_id", "immutable"));
    });
}

#[test]
fn records_of_other_owners_are_not_found() {
    on_service(async |api| {
        let (ada, bob) = (caller(api, "1", &[], &[]), caller(api, "2", &[], &[]));
        let id = ada.post("/notes", &json!({ "title": "a" })).await.created()["id"].clone();
        bob.post("/notes", &json!({ "title": "b" })).await.created();
        let path = format!("/notes/{id}");
        assert_eq!(bob.get("/notes").await.ok()["total"], 1);
        assert_eq!(column(&bob.get("/notes?user_id=1").await.ok(), "id"), Vec::<serde_json::Value>::new());
        bob.get(&path).await.problem("not_found");
        bob.put(&path, &json!({ "title": "x" })).await.problem("not_found");
        bob.delete(&path).await.problem("not_found");
        bob.get(format!("{path}/history")).await.problem("not_found");
        bob.get(format!("{path}?as_of=2026-01-01T00:00:00Z")).await.problem("not_found");
        let failed = bob.put("/notes/batch", &json!({ "items": [{ "id": id, "title": "x" }] })).await.expect(207);
        assert_eq!(failed.json()["errors"][0]["code"], "not_found");
        let failed = bob.post("/notes/batch/delete", &json!({ "ids": [id] })).await.expect(207);
        assert_eq!(failed.json()["errors"][0]["code"], "not_found");
        assert_eq!(ada.get(&path).await.ok()["title"], "a");

        ada.delete(&path).await.ok();
        assert_eq!(bob.get("/notes?only_deleted=true").await.ok()["total"], 0);
        bob.get(format!("{path}?include_deleted=true")).await.problem("not_found");
        bob.post(format!("{path}/restore"), &json!({})).await.problem("not_found");
        assert_eq!(bob.post("/notes/restore", &json!({ "ids": [id] })).await.ok()["restored"], 0);
        bob.delete(format!("{path}/permanent")).await.problem("not_found");
        assert_eq!(bob.delete("/notes/deleted?all=true").await.ok()["deleted"], 0);
        assert_eq!(ada.post("/notes/restore", &json!({ "ids": [id] })).await.ok()["restored"], 1);
        ada.get(format!("{path}/history")).await.ok();
    });
}

#[test]
fn exempt_role_accesses_records_of_every_owner() {
    on_service(async |api| {
        let (ada, admin) = (caller(api, "1", &[], &[]), caller(api, "9", &["admin"], &[]));
        let note = ada.post("/notes", &json!({ "title": "a" })).await.created();
        let path = format!("/notes/{}", note["id"]);
        assert_eq!(admin.get("/notes").await.ok()["total"], 1);
        assert_eq!(admin.put(&path, &json!({ "title": "b" })).await.ok()["user_id"], 1);
        admin.delete(&path).await.ok();
        admin.delete(format!("{path}/permanent")).await.ok();
        admin.get(format!("{path}/history")).await.ok();
        ada.get(format!("{path}/history")).await.problem("not_found");
    });
}

#[test]
fn callers_read_only_their_own_records_without_an_exempt_role() {
    on_service(async |api| {
        let ada = caller(api, "ada", &["admin"], &[]);
        ada.post("/diaries", &json!({ "entry": "a" })).await.created();
        assert_eq!(api.get("/diaries").await.ok(), json!([]));
        assert_eq!(column(&ada.get("/diaries").await.ok(), "author"), ["ada"]);
        assert_eq!(caller(api, "eve", &["admin"], &[]).get("/diaries").await.ok(), json!([]));
    });
}

#[test]
fn subject_that_is_not_a_valid_owner_id_owns_nothing() {
    on_service(async |api| {
        let ada = caller(api, "ada", &[], &[]);
        caller(api, "1", &[], &[]).post("/notes", &json!({ "title": "a" })).await.created();
        assert_eq!(ada.get("/notes").await.ok()["total"], 0);
        ada.post("/notes", &json!({ "title": "a" })).await.problem("permission_denied");
    });
}

#[test]
fn owner_requires_authentication() {
    on_each_backend(async |database| {
        let service: Service = database.service().await.resource::<Note>();
        let error = service.into_router().expect_err("owners need authentication");
        assert!(error.to_string().contains("records of Note have owners"), "{error}");
    });
}
