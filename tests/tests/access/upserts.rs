//! Upserts: they change no record that an update would not, and tell no more of it than a create does.

use crud_runtime::prelude::*;
use serde_json::{Value, json};

use crate::support::{anonymous, caller, on_resources};

/// Records of owners, unique among all of them.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(upsert(slug), access(create(authenticated), update(authenticated), delete(role("admin"))))]
struct Site {
    id: i64,
    #[crud(unique)]
    slug: String,
    title: String,
    #[crud(visible(role("buyer")))]
    offer: Option<String>,
    #[crud(owner(except(role("admin"))))]
    user_id: i64,
}

/// Records that editors alone change.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(upsert(code), access(read(authenticated), create(authenticated), update(role("editor"))))]
struct Entry {
    #[crud(id, length(max = 20))]
    code: String,
    text: String,
}

fn site(slug: &str, title: &str) -> Value {
    json!({ "slug": slug, "title": title })
}

#[test]
fn another_owners_record_is_a_conflict_and_stays() {
    on_resources(Service::resource::<Site>, async |api| {
        let (ada, bob) = (caller(api, "1", &["buyer"], &[]), caller(api, "2", &[], &[]));
        let target = "/sites?on_conflict=slug";
        let of_ada = ada.post(target, &site("a", "of ada")).await.created();
        assert_eq!(of_ada["user_id"], 1);
        let created = bob.post("/sites", &site("a", "of bob")).await.problem("conflict");
        for target in [target, "/sites?on_conflict=slug&conflict=ignore"] {
            let refused = bob.post(target, &site("a", "of bob")).await.problem("conflict");
            assert_eq!((&refused.detail, refused.errors.len()), (&created.detail, created.errors.len()));
        }
        let item = format!("/sites/{}", of_ada["id"]);
        assert_eq!(ada.get(&item).await.ok(), of_ada, "it is untouched");
        bob.get(&item).await.problem("not_found");
        // An admin changes the record, and the owner stays the owner.
        let admin = caller(api, "9", &["admin"], &[]);
        let changed = admin.post(target, &site("a", "by an admin")).await.ok();
        assert_eq!((&changed["title"], &changed["user_id"]), (&json!("by an admin"), &json!(1)));
        bob.post(target, &json!({ "slug": "b", "title": "t", "user_id": 1 })).await.problem("validation_failed");
        anonymous(api).post(target, &site("c", "t")).await.problem("authentication_failed");
        // A field that the caller does not see does not exist.
        bob.post(target, &json!({ "slug": "d", "title": "t", "offer": "x" })).await.problem("validation_failed");
        let offered = json!({ "slug": "a", "title": "t", "offer": "x" });
        assert_eq!(ada.post(target, &offered).await.ok()["offer"], "x");
    });
}

#[test]
fn an_upsert_needs_the_access_of_creates_and_of_updates() {
    on_resources(Service::resource::<Entry>, async |api| {
        let (ada, editor) = (caller(api, "1", &[], &[]), caller(api, "2", &["editor"], &[]));
        let body = json!({ "code": "a", "text": "t" });
        ada.post("/entries?on_conflict=code", &body).await.problem("permission_denied");
        ada.post("/entries?on_conflict=code&conflict=ignore", &body).await.problem("permission_denied");
        ada.put("/entries/a?allow_missing=true", &body).await.problem("permission_denied");
        editor.put("/entries/a?allow_missing=true", &body).await.created();
        editor.post("/entries?on_conflict=code", &body).await.ok();
        anonymous(api).put("/entries/b?allow_missing=true", &body).await.problem("authentication_failed");
    });
}
