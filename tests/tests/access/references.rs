//! References to records that a caller may not read.

use crud_runtime::prelude::*;
use serde_json::json;

use crate::resources::Note;
use crate::support::{caller, on_resources};

/// A secret that only a keeper reads.
#[derive(Debug, Clone, Resource)]
#[crud(access(get(role("keeper"))))]
struct Secret {
    id: i64,
}

/// Refers to a note, to any note, and to a secret.
#[derive(Debug, Clone, Resource)]
#[crud(batch(mode(partial)))]
struct Link {
    id: i64,
    #[crud(references(Note))]
    note_id: Option<i64>,
    #[crud(references(Note, any))]
    any_id: Option<i64>,
    #[crud(references(Secret))]
    secret_id: Option<i64>,
    #[crud(references(Link))]
    next: Option<i64>,
}

fn on_links(test: impl AsyncFn(&crud_tests::Api)) {
    on_resources(|service| service.resource::<Note>().resource::<Secret>().resource::<Link>(), test);
}

#[test]
fn reference_to_another_owner_s_record_is_like_a_missing_one() {
    on_links(async |api| {
        let (ada, bob) = (caller(api, "1", &[], &[]), caller(api, "2", &[], &[]));
        let note = ada.post("/notes", &json!({ "title": "a" })).await.created()["id"].clone();
        let missing = bob.post("/links", &json!({ "note_id": 999_999 })).await.problem("reference_not_found");
        let refused = bob.post("/links", &json!({ "note_id": note })).await.problem("reference_not_found");
        assert_eq!((refused.pointers(), &refused.detail), (missing.pointers(), &missing.detail));
        let link = ada.post("/links", &json!({ "note_id": note })).await.created();
        let path = format!("/links/{}", link["id"]);
        let own = bob.post("/links", &json!({})).await.created();
        let own_path = format!("/links/{}", own["id"]);
        bob.put(&own_path, &json!({ "note_id": note })).await.problem("reference_not_found");
        // A record that was read can be written back, and a reference that stands stays.
        assert_eq!(bob.put(&path, &link).await.ok()["note_id"], note);
        assert_eq!(bob.put(&path, &json!({ "note_id": null })).await.ok()["note_id"], json!(null));
        let admin = caller(api, "3", &["admin"], &[]);
        assert_eq!(admin.put(&path, &json!({ "note_id": note })).await.ok()["note_id"], note);
    });
}

#[test]
fn reference_needs_the_access_of_get() {
    on_links(async |api| {
        let (ada, keeper) = (caller(api, "1", &[], &[]), caller(api, "2", &["keeper"], &[]));
        let secret = ada.post("/secrets", &json!({})).await.created()["id"].clone();
        ada.post("/links", &json!({ "secret_id": secret })).await.problem("reference_not_found");
        assert_eq!(keeper.post("/links", &json!({ "secret_id": secret })).await.created()["secret_id"], secret);
    });
}

#[test]
fn any_record_can_be_referred_to_where_the_attribute_says_so() {
    on_links(async |api| {
        let (ada, bob) = (caller(api, "1", &[], &[]), caller(api, "2", &[], &[]));
        let note = ada.post("/notes", &json!({ "title": "a" })).await.created()["id"].clone();
        assert_eq!(bob.post("/links", &json!({ "any_id": note })).await.created()["any_id"], note);
        bob.post("/links", &json!({ "any_id": 999_999 })).await.problem("reference_not_found");
    });
}

#[test]
fn items_of_a_batch_are_refused_by_their_own_references() {
    on_links(async |api| {
        let (ada, bob) = (caller(api, "1", &[], &[]), caller(api, "2", &[], &[]));
        let theirs = ada.post("/notes", &json!({ "title": "a" })).await.created()["id"].clone();
        let own = bob.post("/notes", &json!({ "title": "b" })).await.created()["id"].clone();
        let items = json!({ "items": [{ "note_id": own }, { "note_id": theirs }, {}, { "note_id": 999_999 }] });
        let batch = bob.post("/links/batch", &items).await.expect(207).into_json();
        assert_eq!((&batch["created"], &batch["failed"]), (&json!(2), &json!(2)));
        assert_eq!(batch["items"][0]["note_id"], own);
        let errors = batch["errors"].as_array().unwrap();
        let refused: Vec<_> = errors.iter().map(|error| (&error["index"], &error["code"], &error["detail"])).collect();
        assert_eq!((refused[0].0, refused[1].0), (&json!(1), &json!(3)));
        assert_eq!((refused[0].1, refused[0].2), (refused[1].1, refused[1].2));
        assert_eq!(refused[0].1, "reference_not_found");
    });
}
