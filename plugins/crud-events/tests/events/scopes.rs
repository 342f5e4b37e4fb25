//! Who is told of which records.

use crud_runtime::prelude::*;
use crud_runtime::testing::Test;
use serde_json::{Value, json};

use crate::board::{Stream, ann, bob, create, now, on_board, poll, staff};

fn told(events: &[Value]) -> Vec<(String, Value)> {
    events
        .iter()
        .map(|event| (event["type"].as_str().unwrap_or_default().to_owned(), event["record_id"].clone()))
        .collect()
}

fn of(word: &str, id: i64) -> (String, Value) {
    (word.to_owned(), json!(id))
}

#[test]
fn record_that_changes_its_owner_is_removed_for_one_and_there_for_the_other() {
    on_board(async |test| {
        let (ann, bob, staff) = (ann(test), bob(test), staff(test));
        let (after_ann, after_bob) = (now(&ann, "/notes/events").await, now(&bob, "/notes/events").await);
        let id = create(&ann, "/notes", json!({ "text": "mine" })).await;
        let (events, after_ann) = poll(&ann, "/notes/events", &after_ann).await;
        assert_eq!(told(&events), [of("note.created", id)]);
        let (events, after_bob) = poll(&bob, "/notes/events", &after_bob).await;
        assert!(events.is_empty(), "a stranger learns nothing");
        let store = test.app().store::<crate::board::Note>();
        store.update(id, crate::board::NotePatch::default().owner("bob".to_owned())).await.expect("a change");
        assert_eq!(told(&poll(&ann, "/notes/events", &after_ann).await.0), [of("note.removed", id)]);
        assert_eq!(told(&poll(&bob, "/notes/events", &after_bob).await.0), [of("note.updated", id)]);
        store.delete(id).await.expect("a removal");
        assert_eq!(told(&poll(&bob, "/notes/events", &after_bob).await.0), [of("note.removed", id)]);
        let (later, _) = poll(&ann, "/notes/events", &after_ann).await;
        assert_eq!(told(&later), [of("note.removed", id)], "once hers, it is told of as removed alone");
        let _ = staff;
    });
}

#[test]
fn tenants_learn_nothing_of_each_other() {
    on_board(async |test| {
        let of_team = |team: i64| test.as_principal(Principal::new(format!("user{team}"))).claim("team", team);
        let (one, two) = (of_team(1), of_team(2));
        let (after_one, after_two) = (now(&one, "/issues/events").await, now(&two, "/issues/events").await);
        let id = create(&one, "/issues", json!({ "title": "leak" })).await;
        assert_eq!(told(&poll(&one, "/issues/events", &after_one).await.0), [of("issue.created", id)]);
        assert!(poll(&two, "/issues/events", &after_two).await.0.is_empty());
        one.delete(format!("/issues/{id}")).await.expect(200);
        assert_eq!(told(&poll(&one, "/issues/events", &after_one).await.0), [of("issue.removed", id)]);
        assert!(poll(&two, "/issues/events", &after_two).await.0.is_empty());
        assert!(poll(&of_team(3), "/issues/events", &after_one).await.0.is_empty());
    });
}

async fn add_member(test: &Test, project: i64, user: &str) -> i64 {
    create(test, "/members", json!({ "project_id": project, "user_id": user })).await
}

#[test]
fn change_of_a_membership_resets_the_members_view_alone() {
    on_board(async |test| {
        let (ann, bob, staff) = (ann(test), bob(test), staff(test));
        let project = create(&staff, "/projects", json!({ "name": "roof" })).await;
        add_member(&staff, project, "bob").await;
        let mut of_ann = Stream::open(&ann, "/projects/events").await;
        let mut of_bob = Stream::open(&bob, "/projects/events").await;
        staff.patch(format!("/projects/{project}"), json!({ "name": "the roof" })).await.expect(200);
        assert_eq!(of_bob.next().await["data"]["name"], "the roof");
        let member = add_member(&staff, project, "ann").await;
        assert_eq!(of_ann.next().await["type"], "reset", "ann may see other projects now");
        staff.patch(format!("/projects/{project}"), json!({ "name": "our roof" })).await.expect(200);
        assert_eq!(of_ann.next().await["data"]["name"], "our roof");
        let told = of_bob.next().await;
        assert_eq!(told["data"]["name"], "our roof", "bob's view has not changed meanwhile: {told}");
        staff.delete(format!("/members/{member}")).await.expect(200);
        assert_eq!(of_ann.next().await["type"], "reset");
        staff.patch(format!("/projects/{project}"), json!({ "name": "bob's roof" })).await.expect(200);
        assert_eq!(of_bob.next().await["data"]["name"], "bob's roof");
    });
}

#[test]
fn anonymous_request_has_no_events() {
    on_board(async |test| {
        test.get("/cards/events").await.problem("authentication_failed");
        test.post("/events", json!({ "subscriptions": [{ "name": "a", "resource": "cards" }] }))
            .await
            .problem("authentication_failed");
        test.post("/events/ticket", json!({})).await.problem("authentication_failed");
    });
}

#[test]
fn resource_that_a_principal_may_not_list_has_no_events_for_it() {
    on_board(async |test| {
        test.as_principal(Principal::new("ann")).get("/members/events").await.problem("permission_denied");
        bob(test).get("/events?resources=members").await.problem("validation_failed");
    });
}
