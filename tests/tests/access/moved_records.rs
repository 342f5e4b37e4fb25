//! Records that moved to another owner, active and deleted: the former owner sees nothing of them, and the new one nothing
//! of before.

use crud_runtime::prelude::*;
use crud_tests::fixtures::now;
use crud_tests::{Answer, Api, on_each_backend, query};
use reqwest::Method;
use serde_json::json;

use crate::support::{Caller, caller, secured};

/// A card of an owner, which an update restores, and which editors alone may restore.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    audit,
    import,
    batch(mode(partial)),
    upsert(slug),
    soft_delete(auto_restore_on_update),
    access(all(authenticated), restore(role("editor")))
)]
struct Card {
    id: i64,
    #[crud(unique)]
    slug: String,
    text: Option<String>,
    #[crud(default(Step::Draft), transitions(publish(Draft, Published)))]
    step: Step,
    #[crud(owner(except(role("admin"))))]
    user_id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
enum Step {
    Draft,
    Published,
}

/// A card that was of the user 1 and is of the user 2, with the time before the move.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_card(test: impl AsyncFn(&Api, &Store<Card>, &str)) {
    on_each_backend(async |database| {
        let service = secured(database.service().await.resource::<Card>()).migrate().await.expect("the tables");
        let cards = service.store::<Card>();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let ada = caller(&api, "1", &[], &[]);
        ada.post("/cards", &json!({ "slug": "a", "text": "secret of ada" })).await.created();
        let before = now();
        let moved = CardPatch::default().text(Some("for bob".to_owned())).user_id(2);
        cards.update(1, moved).await.expect("the new owner");
        test(&api, &cards, &before).await;
        api.stop().await;
    });
}

fn at(time: &str) -> String {
    query("/cards/1", [("as_of", time)])
}

/// Checks every road to the card for a caller who does not see it: it is as none, or a conflict with a unique value.
async fn assert_unreached(caller: &Caller<'_>) {
    let mut missing = Vec::new();
    for body in [json!({}), json!({ "text": "mine" })] {
        missing.push(caller.patch("/cards/1", &body).await);
        missing.push(caller.put("/cards/1", &body).await);
        missing.push(caller.post("/cards/1/publish", &body).await);
    }
    missing.push(caller.get("/cards/1").await);
    missing.push(caller.get(at(&now())).await);
    missing.push(caller.get("/cards/1/history").await);
    missing.push(caller.delete("/cards/1").await);

    let card = json!({ "slug": "a", "text": "mine" });
    let mut taken = vec![caller.post("/cards", &card).await];
    let mut failed = vec![
        caller.put("/cards/batch", &json!({ "items": [{ "id": 1 }] })).await,
        caller.put("/cards/batch", &json!({ "items": [{ "id": 1, "text": "mine" }] })).await,
        caller.request(Method::POST, "/cards/batch/delete", &json!({ "ids": [1] })).await,
    ];
    for conflict in ["", "&conflict=ignore"] {
        taken.push(caller.post(format!("/cards?on_conflict=slug{conflict}"), &card).await);
        let import = format!("/cards/import?mode=partial&on_conflict=slug{conflict}");
        failed.push(caller.send(&import, "application/x-ndjson", &format!("{card}\n")).await);
    }
    for answer in missing.iter().chain(&taken).chain(&failed) {
        let text = answer.text();
        assert!(!text.contains("secret of ada") && !text.contains("for bob"), "{answer:?}");
    }
    for answer in missing {
        answer.problem("not_found");
    }
    for answer in taken {
        answer.problem("conflict");
    }
    let code = |answer: Answer| answer.expect(207).into_json()["errors"][0]["code"].clone();
    let codes: Vec<_> = failed.into_iter().map(code).collect();
    assert_eq!(codes, ["not_found", "not_found", "not_found", "conflict", "conflict"]);
}

#[test]
fn former_owner_reaches_a_moved_record_by_no_road() {
    on_card(async |api, cards, before| {
        let (ada, bob) = (caller(api, "1", &[], &[]), caller(api, "2", &[], &[]));
        assert_unreached(&ada).await;
        ada.get(at(before)).await.problem("not_found");
        let card = cards.get(1).await.expect("the card");
        assert_eq!((card.text.as_deref(), card.step, card.deleted_at), (Some("for bob"), Step::Draft, None));
        // Nor when it is deleted, with the access of restores.
        bob.delete("/cards/1").await.ok();
        let editor = caller(api, "1", &["editor"], &[]);
        assert_unreached(&editor).await;
        editor.get(at(before)).await.problem("not_found");
        editor.post("/cards/1/restore", &json!({})).await.problem("not_found");
        assert_eq!(editor.get("/cards?only_deleted=true").await.ok(), json!([]));
        let restored = editor.send("/cards/restore?all=true", "", "").await.ok();
        assert_eq!(restored["restored"], 0, "{restored}");
        assert!(caller(api, "2", &["editor"], &[]).get("/cards?only_deleted=true").await.text().contains("for bob"));
    });
}

#[test]
fn new_owner_of_a_moved_record_reads_nothing_of_before() {
    on_card(async |api, _, before| {
        let bob = caller(api, "2", &[], &[]);
        let card = json!({ "slug": "a" });
        for answer in [
            bob.patch("/cards/1", &json!({})).await,
            bob.put("/cards/1", &json!({})).await,
            bob.post("/cards?on_conflict=slug", &card).await,
            bob.post("/cards?on_conflict=slug&conflict=ignore", &card).await,
        ] {
            assert_eq!(answer.ok()["text"], "for bob");
        }
        bob.get(at(before)).await.problem("not_found");
        assert_eq!(bob.get("/cards/1/history").await.ok()["total"], 0, "nothing has changed since");
        bob.patch("/cards/1", &json!({ "text": "of bob" })).await.ok();
        let history = bob.get("/cards/1/history").await.ok();
        assert_eq!((&history["total"], &history["data"][0]["previous"]["text"]), (&json!(1), &json!("for bob")));
        assert!(!history.to_string().contains("secret of ada"), "{history}");
    });
}

#[test]
fn new_owner_of_a_moved_record_that_is_deleted_needs_the_access_of_restores() {
    on_card(async |api, _, before| {
        let (bob, editor) = (caller(api, "2", &[], &[]), caller(api, "2", &["editor"], &[]));
        let active = now();
        bob.delete("/cards/1").await.ok();
        assert_unreached(&bob).await;
        bob.get(at(&active)).await.problem("not_found");
        bob.post("/cards/1/restore", &json!({})).await.problem("permission_denied");
        // With it, what was since the move, and nothing of before.
        assert_eq!(editor.get(at(&active)).await.ok()["text"], "for bob");
        editor.get(at(before)).await.problem("not_found");
        let history = editor.get("/cards/1/history").await.ok();
        assert_eq!((&history["total"], &history["data"][0]["action"]), (&json!(1), &json!("soft_delete")));
        assert!(!history.to_string().contains("secret of ada"), "{history}");
        let restored = editor.post("/cards?on_conflict=slug", &json!({ "slug": "a" })).await.ok();
        assert_eq!((&restored["text"], &restored["user_id"]), (&json!("for bob"), &json!(2)));
        assert_eq!(bob.get("/cards/1").await.ok()["text"], "for bob");
    });
}
