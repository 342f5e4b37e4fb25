//! Events of the program, and subscribers in the process.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crud_events::{Event, publish};
use crud_runtime::audit::AuditRecord;
use crud_runtime::prelude::*;
use crud_runtime::testing::Test;
use crud_tests::{on_each_sql_server, on_each_transactional_backend, on_sqlite, wait_until};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::board::{
    Card, CardPatch, Issue, Note, Stream, ann, bob, card, create, events, now, on_board, poll, service_with,
};

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

#[test]
fn subscriber_that_panics_is_called_again() {
    on_sqlite(async |database| {
        let (panics, seen) = (Arc::new(Mutex::new(true)), Arc::new(Mutex::new(Vec::new())));
        let of_events = seen.clone();
        let events = events().on_event("test", move |event: Event, _: App| {
            assert!(!std::mem::take(&mut *panics.lock().expect("a lock")), "a fault of the program");
            of_events.lock().expect("a lock").push(event.kind);
            std::future::ready(Ok(()))
        });
        let test = service_with(database, events.clone()).await.test().await.expect("the service");
        events.catch_up().await.expect("nothing yet");
        card(&ann(&test), 7, "paint").await;
        let error = events.catch_up().await.expect_err("the first call panics");
        assert!(error.to_string().contains("panic"), "{error}");
        events.catch_up().await.expect("the second call");
        assert_eq!(*seen.lock().expect("a lock"), ["card.created"]);
    });
}

/// A subscriber whose calls wait for permits, and the titles of the cards that it was called with.
type Slow = (crud_events::Events, Arc<Semaphore>, Arc<Mutex<Vec<String>>>);

fn slow() -> Slow {
    let (permits, seen) = (Arc::new(Semaphore::new(0)), Arc::<Mutex<Vec<String>>>::default());
    let (waits, of_events) = (permits.clone(), seen.clone());
    let events = events().on_event("test", move |event: Event, _: App| {
        of_events.lock().expect("a lock").push(event.data["title"].as_str().unwrap_or_default().to_owned());
        let waits = waits.clone();
        async move {
            waits.acquire().await?.forget();
            Ok(())
        }
    });
    (events, permits, seen)
}

#[test]
fn server_whose_lease_has_ended_calls_the_subscriber_no_more() {
    on_each_transactional_backend(async |database| {
        let ((one, permits, seen), (two, others, seen_there)) = (slow(), slow());
        let here = service_with(database, one.clone()).await.test().await.expect("a server");
        let there = service_with(database, two.clone()).await.test().await.expect("a server");
        one.catch_up().await.expect("nothing yet");
        for title in ["one", "two", "three"] {
            card(&ann(&here), 7, title).await;
        }
        let called = tokio::spawn(async move { one.catch_up().await.map_err(|error| error.to_string()) });
        wait_until("the first call", async || seen.lock().expect("a lock").len() == 1).await;
        // The other server takes over, as if this one was suspended.
        there.clock().set(here.app().now() + TimeDelta::minutes(1));
        others.add_permits(10);
        two.catch_up().await.expect("the other server's calls");
        permits.add_permits(10);
        drop(called.await.expect("the calls end"));
        assert_eq!(*seen_there.lock().expect("a lock"), ["one", "two", "three"]);
        assert_eq!(*seen.lock().expect("a lock"), ["one"], "one server at a time calls it");
    });
}

#[test]
fn lease_is_renewed_while_a_subscriber_is_called() {
    on_sqlite(async |database| {
        let ((one, permits, seen), (two, others, seen_there)) = (slow(), slow());
        let here = service_with(database, one.clone()).await.test().await.expect("a server");
        let there = service_with(database, two.clone()).await.test().await.expect("a server");
        one.catch_up().await.expect("nothing yet");
        card(&ann(&here), 7, "paint").await;
        let called = tokio::spawn(async move { one.catch_up().await.map_err(|error| error.to_string()) });
        wait_until("the first call", async || seen.lock().expect("a lock").len() == 1).await;
        here.clock().advance(Duration::from_mins(1));
        there.clock().set(here.app().now());
        let until = "SELECT held_until FROM events_subscriber";
        let before = database.texts(until).await;
        wait_until("a renewal", async || database.texts(until).await != before).await;
        others.add_permits(10);
        two.catch_up().await.expect("nothing to call");
        permits.add_permits(10);
        called.await.expect("the call ends").expect("it succeeds");
        assert_eq!((seen.lock().expect("a lock").len(), seen_there.lock().expect("a lock").len()), (1, 0));
    });
}

#[test]
fn lease_of_a_server_whose_clock_was_ahead_is_free() {
    on_each_transactional_backend(async |database| {
        let ((one, ..), (two, permits, seen)) = (slow(), slow());
        let ahead = service_with(database, one.clone()).await.test().await.expect("a server");
        let here = service_with(database, two.clone()).await.test().await.expect("a server");
        ahead.clock().set(here.app().now() + TimeDelta::days(365));
        one.catch_up().await.expect("nothing yet");
        card(&ann(&here), 7, "paint").await;
        permits.add_permits(1);
        two.catch_up().await.expect("the call");
        assert_eq!(*seen.lock().expect("a lock"), ["paint"]);
    });
}

#[test]
fn events_that_a_subscriber_refuses_are_kept_for_longer() {
    on_each_sql_server(async |database| {
        let (refuses, seen) = (Arc::new(Mutex::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (is_refused, of_events) = (refuses.clone(), seen.clone());
        let events = events().on_event("test", move |event: Event, _: App| {
            if *is_refused.lock().expect("a lock") {
                return std::future::ready(Err("not now".into()));
            }
            of_events.lock().expect("a lock").push(event.data["title"].as_str().unwrap_or_default().to_owned());
            std::future::ready(Ok(()))
        });
        let test = service_with(database, events.clone()).await.test().await.expect("the service");
        events.catch_up().await.expect("nothing yet");
        card(&ann(&test), 7, "taken").await;
        events.catch_up().await.expect("the first event");
        *refuses.lock().expect("a lock") = true;
        card(&ann(&test), 7, "refused").await;
        events.catch_up().await.expect_err("the second event is refused");
        // Events are kept for a week.
        test.clock().advance(Duration::from_hours(9 * 24));
        let _stream = Stream::open(&ann(&test), "/cards/events").await;
        let kept = async || database.texts("SELECT CAST(entries AS CHAR(20)) FROM events_batch").await;
        wait_until("the first event is removed", async || kept().await.len() < 2).await;
        *refuses.lock().expect("a lock") = false;
        events.catch_up().await.expect("the second event");
        assert_eq!(*seen.lock().expect("a lock"), ["taken", "refused"]);
    });
}
