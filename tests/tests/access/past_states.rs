//! The access of a record's past states: `?as_of=`.

use crud_runtime::audit::AuditRecord;
use crud_runtime::prelude::*;
use crud_tests::fixtures::now;
use crud_tests::{Api, on_each_backend, query};
use serde_json::json;

use crate::resources::{Note, NotePatch};
use crate::support::{Caller, caller, on_resources, on_service, secured};

/// A page that an update restores, and that editors alone may restore.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    audit,
    import,
    batch(mode(partial)),
    upsert(slug),
    soft_delete(auto_restore_on_update),
    access(read(authenticated), write(authenticated), restore(role("editor")), batch(authenticated))
)]
struct Page {
    id: i64,
    #[crud(unique)]
    slug: String,
    text: Option<String>,
    #[crud(default(Stage::Draft), transitions(publish(Draft, Published)))]
    stage: Stage,
    deleted_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
enum Stage {
    Draft,
    Published,
}

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

#[test]
fn history_begins_when_the_record_came_to_the_caller() {
    on_each_backend(async |database| {
        let service = secured(database.service().await.resource::<Note>()).migrate().await.expect("the tables");
        let notes = service.store::<Note>();
        let api = Api::start(database, service).await;
        let (ada, bob, admin) =
            (caller(&api, "1", &[], &[]), caller(&api, "2", &[], &[]), caller(&api, "9", &["admin"], &[]));
        let id =
            ada.post("/notes", &json!({ "title": "secret of ada" })).await.created()["id"].as_i64().expect("a key");
        let (path, history) = (format!("/notes/{id}"), format!("/notes/{id}/history"));
        assert_eq!(ada.get(&history).await.ok()["total"], 1);
        notes.update(id, NotePatch::default().title("for bob").user_id(2)).await.expect("the new owner");
        ada.get(&history).await.problem("not_found");
        let empty = bob.get(&history).await.ok();
        assert_eq!((&empty["total"], &empty["data"]), (&json!(0), &json!([])), "the move has the old values too");
        bob.patch(&path, &json!({ "title": "of bob" })).await.ok();
        let own = bob.get(&history).await.ok();
        assert_eq!((&own["total"], &own["data"][0]["previous"]["title"]), (&json!(1), &json!("for bob")));
        assert_eq!(bob.get(format!("{history}?skip=1")).await.ok()["data"], json!([]));
        assert!(!own.to_string().contains("secret of ada"), "{own}");
        assert_eq!(admin.get(&history).await.ok()["total"], 3);
        // Back again: what was before is not told again.
        notes.update(id, NotePatch::default().user_id(1)).await.expect("the old owner");
        assert_eq!(ada.get(&history).await.ok()["total"], 0);
        api.stop().await;
    });
}

/// A letter whose owner no answer has.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(audit, access(restore(role("admin"))))]
struct Letter {
    id: i64,
    text: String,
    #[crud(owner(except(role("admin"))), hidden)]
    user_id: Option<String>,
}

#[test]
fn move_of_a_record_to_a_hidden_owner_is_an_entry_without_the_owner() {
    on_each_backend(async |database| {
        let service = secured(database.service().await.resource::<Letter>()).migrate().await.expect("the tables");
        let (letters, log) = (service.store::<Letter>(), service.store::<AuditRecord>());
        let api = Api::start(database, service).await;
        let (ada, bob, admin) =
            (caller(&api, "1", &[], &[]), caller(&api, "null", &[], &[]), caller(&api, "9", &["admin"], &[]));
        let id =
            ada.post("/letters", &json!({ "text": "secret of ada" })).await.created()["id"].as_i64().expect("a key");
        let (path, history) = (format!("/letters/{id}"), format!("/letters/{id}/history"));
        ada.patch(&path, &json!({ "text": "of ada" })).await.ok();
        let before = now();
        let moved = LetterPatch::default().user_id(Some("null".to_owned()));
        letters.update(id, moved).await.expect("the new owner");
        let after = now();
        ada.get(&history).await.problem("not_found");
        let empty = bob.get(&history).await.ok();
        assert_eq!((&empty["total"], &empty["data"]), (&json!(0), &json!([])));
        bob.get(at(&path, &before)).await.problem("not_found");
        assert_eq!(bob.get(at(&path, &after)).await.ok()["text"], "of ada");
        bob.patch(&path, &json!({ "text": "of bob" })).await.ok();
        let own = bob.get(&history).await.ok();
        assert_eq!((&own["total"], &own["data"][0]["changes"]), (&json!(1), &json!({ "text": "of bob" })));
        // Readers of the whole log see that something has happened, and not to whom.
        let all = admin.get(&history).await.ok();
        assert_eq!((&all["total"], &all["data"][2]["action"]), (&json!(4), &json!("update")));
        assert_eq!((&all["data"][2]["changes"], &all["data"][2]["previous"]), (&json!({}), &json!({})));
        assert_eq!(admin.get(at(&path, &before)).await.ok()["text"], "of ada");
        let stored = log.list(AuditRecord::FIELDS.id.asc()).await.expect("the log");
        assert_eq!(stored[2].changes, Some(json!({ "user_id": null })));
        api.stop().await;
    });
}

#[test]
fn deleted_record_needs_the_access_of_restore_on_every_road() {
    on_resources(Service::resource::<Page>, async |api| {
        let (user, editor) = (caller(api, "1", &[], &[]), caller(api, "2", &["editor"], &[]));
        user.post("/pages", &json!({ "slug": "a", "text": "secret" })).await.created();
        let history = user.get("/pages/1/history").await.ok();
        assert_eq!(history["total"], 1);
        user.delete("/pages/1").await.ok();
        user.get("/pages/1").await.problem("not_found");
        for body in [json!({}), json!({ "text": "new" })] {
            user.patch("/pages/1", &body).await.problem("not_found");
            user.put("/pages/1", &body).await.problem("not_found");
        }
        let items = json!({ "items": [{ "id": 1 }] });
        let batch = user.put("/pages/batch", &items).await.expect(207).into_json();
        assert_eq!((&batch["updated"], &batch["errors"][0]["code"]), (&json!(0), &json!("not_found")));
        let upsert = json!({ "slug": "a" });
        for target in ["/pages?on_conflict=slug&conflict=ignore", "/pages?on_conflict=slug"] {
            let answer = user.post(target, &upsert).await;
            assert!(!answer.text().contains("secret"), "{}", answer.text());
            answer.problem("conflict");
        }
        for conflict in ["", "&conflict=ignore"] {
            let target = format!("/pages/import?mode=partial&on_conflict=slug{conflict}");
            let answer =
                user.send(&target, "application/x-ndjson", "{\"slug\":\"a\",\"text\":\"new\"}\n").await.expect(207);
            assert_eq!(
                (&answer.json()["failed"], &answer.json()["errors"][0]["code"]),
                (&json!(1), &json!("conflict"))
            );
            assert!(!answer.text().contains("secret"), "{}", answer.text());
        }
        for body in [json!({}), json!({ "text": "new" })] {
            user.post("/pages/1/publish", &body).await.problem("not_found");
        }
        user.get("/pages/1/history").await.problem("not_found");
        user.get("/pages/1/history?limit=1").await.problem("not_found");
        assert_eq!(editor.get("/pages?only_deleted=true").await.ok()[0]["text"], "secret", "nothing restored it");
        assert_eq!(editor.get("/pages/1/history").await.ok()["total"], 2);

        assert_eq!(editor.patch("/pages/1", &json!({})).await.ok()["text"], "secret");
        assert_eq!(user.get("/pages/1").await.ok()["text"], "secret");
        assert_eq!(user.get("/pages/1/history").await.ok()["total"], 3);
        user.delete("/pages/1").await.ok();
        assert_eq!(editor.post("/pages?on_conflict=slug", &upsert).await.ok()["text"], "secret");
    });
}
