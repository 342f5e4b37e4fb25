//! The access of a record's past states: `?as_of=`.

use crud_tests::fixtures::now;
use crud_tests::{Api, on_each_backend, query};
use serde_json::json;

use crate::resources::{Note, NotePatch};
use crate::support::{Caller, caller, on_service, secured};

fn at(path: &str, time: &str) -> String {
    query(path, [("as_of", time)])
}

/// A caller who may do everything with rules.
fn editor(api: &Api) -> Caller<'_> {
    caller(api, "9", &["editor", "admin"], &["rules:delete"])
}

#[test]
fn past_state_needs_the_access_of_history() {
    on_service(async |api| {
        let path = format!("/rules/{}", editor(api).post("/rules", &json!({ "name": "a" })).await.created()["id"]);
        let time = now();
        editor(api).put(&path, &json!({ "name": "b" })).await.ok();
        assert_eq!(api.get(&path).await.ok()["name"], "b", "the record itself is public");
        api.get(at(&path, &time)).await.problem("authentication_failed");
        assert_eq!(caller(api, "1", &[], &[]).get(at(&path, &time)).await.ok()["name"], "a");
    });
}

#[test]
fn past_state_of_a_deleted_record_needs_the_access_of_restore() {
    on_service(async |api| {
        let (reader, editor) = (caller(api, "1", &[], &[]), editor(api));
        let path = format!("/rules/{}", editor.post("/rules", &json!({ "name": "a" })).await.created()["id"]);
        let active = now();
        editor.delete(&path).await.ok();
        let deleted = now();
        reader.get(at(&path, &active)).await.problem("not_found");
        assert_eq!(editor.get(at(&path, &active)).await.ok()["name"], "a");

        editor.post(format!("{path}/restore"), &json!({})).await.ok();
        assert_eq!(reader.get(at(&path, &active)).await.ok()["name"], "a");
        reader.get(at(&path, &deleted)).await.problem("not_found");
        let shown = query(&path, [("as_of", deleted.as_str()), ("include_deleted", "true")]);
        reader.get(&shown).await.problem("permission_denied");
        assert_eq!(editor.get(&shown).await.ok()["is_deleted"], true);

        editor.delete(&path).await.ok();
        editor.delete(format!("{path}/permanent")).await.ok();
        reader.get(at(&path, &active)).await.problem("not_found");
        assert_eq!(editor.get(at(&path, &active)).await.ok()["name"], "a");
    });
}

#[test]
fn past_state_of_another_owner_is_not_found() {
    on_each_backend(async |database| {
        let service = secured(database.service().await.resource::<Note>()).migrate().await.expect("the tables");
        let notes = service.store::<Note>();
        let api = Api::start(database, service).await;
        let (ada, bob) = (caller(&api, "1", &[], &[]), caller(&api, "2", &[], &[]));
        let id = ada.post("/notes", &json!({ "title": "a" })).await.created()["id"].as_i64().expect("a key");
        let path = format!("/notes/{id}");
        let before = now();
        notes.update(id, NotePatch::default().user_id(2)).await.expect("the new owner");
        let after = now();
        ada.get(at(&path, &before)).await.problem("not_found");
        ada.get(at(&path, &after)).await.problem("not_found");
        bob.get(at(&path, &before)).await.problem("not_found");
        assert_eq!(bob.get(at(&path, &after)).await.ok()["title"], "a");
        let admin = caller(&api, "9", &["admin"], &[]);
        assert_eq!(admin.get(at(&path, &before)).await.ok()["user_id"], 1);
        api.stop().await;
    });
}
