//! Events of the program, and subscribers in the process.

use std::sync::{Arc, Mutex};

use crud_events::{Event, publish};
use crud_runtime::audit::AuditRecord;
use crud_runtime::prelude::*;
use crud_runtime::testing::Test;
use crud_tests::on_each_transactional_backend;
use serde_json::json;

use crate::board::{Card, CardPatch, Issue, Note, ann, bob, card, create, events, now, on_board, poll, service_with};

async fn print(test: &Test, card: i64) -> crud_runtime::Result<()> {
    test.app()
        .transaction(async |tx| {
            tx.store::<Card>().update(card, CardPatch::default().points(Some(1))).await?;
            publish::<Card>(tx, "card.printed", card, json!({ "copies": 2 })).await
        })
        .await
}

#[test]
fn event_of_the_program_is_sent_to_those_who_see_the_record() {
    on_board(async |test| {
        let (ann, bob) = (ann(test), bob(test));
        let id = card(&ann, 7, "paint").await;
        let note = create(&ann, "/notes", json!({ "text": "mine" })).await;
        let after = now(&ann, "/events?resources=cards,notes").await;
        print(test, id).await.expect("an event");
        let publish_note = test.app().transaction(async |tx| publish::<Note>(tx, "note.read", note, json!(null)).await);
        publish_note.await.expect("an event");
        let (told, _) = poll(&ann, "/events?resources=cards,notes", &after).await;
        let kinds: Vec<_> = told.iter().map(|event| event["type"].as_str().unwrap_or_default()).collect();
        assert_eq!(kinds, ["card.updated", "card.printed", "note.read"]);
        assert_eq!((&told[1]["data"], &told[1]["record"]["id"]), (&json!({ "copies": 2 }), &json!(id)));
        let (told, _) = poll(&bob, "/events?resources=cards,notes", &after).await;
        assert_eq!(told.len(), 2, "the note is ann's: {told:?}");
        let undone = test.app().transaction(async |tx| {
            publish::<Card>(tx, "card.lost", id, json!(null)).await?;
            Err::<(), _>(crud_runtime::Error::Setup("no".to_owned()))
        });
        assert!(undone.await.is_err());
        let (told, _) = poll(&ann, "/events?resources=cards,notes", &after).await;
        assert_eq!(told.len(), 3, "what was rolled back is not sent");
    });
}

#[test]
fn event_of_the_program_is_in_the_log_with_its_author_its_tenant_and_the_time_of_the_service() {
    on_board(async |test| {
        let ann = test.as_principal(Principal::new("77").with_tenant(3)).claim("team", 3);
        let id = create(&ann, "/issues", json!({ "title": "leak" })).await;
        let now = "2031-01-31T12:00:00Z".parse().expect("a time");
        test.clock().set(now);
        let app = test.app().acting_as(Principal::new("77").with_tenant(3));
        let publish = app.transaction(async |tx| publish::<Issue>(tx, "issue.read", id, json!(null)).await);
        publish.await.expect("an event");
        let log = test.app().store::<AuditRecord>();
        let entry =
            log.first(AuditRecord::FIELDS.action.eq("event:issue.read")).await.expect("the log").expect("an entry");
        assert_eq!((entry.actor.as_deref(), entry.user_id, entry.tenant.as_deref()), (Some("77"), Some(77), Some("3")));
        assert_eq!(entry.timestamp, Some(now));
    });
}

#[test]
fn subscriber_in_the_process_gets_each_event_in_order_until_it_succeeds() {
    on_each_transactional_backend(async |database| {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (of_events, fails) = (seen.clone(), Arc::new(Mutex::new(true)));
        let events = events().on_event("test", move |event: Event, _: App| {
            let is_second = event.changed == ["title"];
            if is_second && std::mem::take(&mut *fails.lock().expect("a lock")) {
                return std::future::ready(Err("not now".into()));
            }
            of_events.lock().expect("a lock").push((event.id, event.kind));
            std::future::ready(Ok(()))
        });
        let test = service_with(database, events.clone()).await.test().await.expect("the service");
        events.catch_up().await.expect("nothing yet");
        let ann = ann(&test);
        let id = card(&ann, 7, "paint").await;
        ann.patch(format!("/cards/{id}"), json!({ "title": "paint it" })).await.expect(200);
        ann.delete(format!("/cards/{id}")).await.expect(200);
        assert!(events.catch_up().await.is_err(), "the second event is refused once");
        events.catch_up().await.expect("all are taken");
        let (ids, kinds): (Vec<String>, Vec<String>) = seen.lock().expect("a lock").iter().cloned().unzip();
        assert!(ids.is_sorted_by_key(|id| id.parse::<i64>().expect("a number")), "{ids:?}");
        // The card is gone when they are rendered: an event says what a record is.
        assert_eq!(kinds, ["card.removed", "card.removed", "card.removed"]);
        events.catch_up().await.expect("nothing new");
        assert_eq!(seen.lock().expect("a lock").len(), 3);
    });
}
