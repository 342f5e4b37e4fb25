//! The queue of deliveries.

use std::time::Duration;

use axum::http::StatusCode;
use crud_events::{Events, Webhooks};
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_tests::{Database, on_each_sql_backend, on_sqlite};
use serde_json::json;

use crate::receiver::{Received, Receiver};
use crate::shop::{admin, deliver, make, shop, try_out, webhook};

#[test]
fn receiver_that_fails_does_not_stop_others() {
    on_each_sql_backend(async |database| {
        let (dead, alive) = (Receiver::start().await, Receiver::start().await);
        let webhooks = Webhooks::new().allow_http_to(dead.host()).allow_http_to(alive.host());
        let service = crate::shop::with_webhooks(database.service().await, webhooks);
        let test = admin(&service.test().await.expect("the service"));
        // Nothing is due again, however long the attempts take.
        test.clock().set("2026-01-31T12:00:00Z".parse().expect("a time"));
        dead.answer(|_| StatusCode::BAD_GATEWAY);
        let (first, second) = (make(&test, &dead.url(), &[]).await, make(&test, &alive.url(), &[]).await);
        for _ in 0..100 {
            test.post(format!("/webhooks/{}/test", first["id"]), json!({})).await.expect(202);
        }
        test.post(format!("/webhooks/{}/test", second["id"]), json!({})).await.expect(202);
        deliver(&test).await;
        assert_eq!((dead.received().len(), alive.received().len()), (100, 1));
    });
}

#[test]
fn attempt_of_a_process_that_died_is_repeated_when_its_lease_ends() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        test.clock().set("2026-01-31T12:00:00Z".parse().expect("a time"));
        let made = make(&test, &receiver.url(), &[]).await;
        test.post(format!("/webhooks/{}/test", made["id"]), json!({})).await.expect(202);
        let until = database.time_literal("2026-01-31T12:01:00.000000Z");
        database.execute(&format!("UPDATE events_delivery SET leased_until = {until}, lease = 'another'")).await;
        assert_eq!(deliver(&test).await, 0, "another process attempts it");
        test.clock().advance(Duration::from_mins(1));
        assert_eq!(deliver(&test).await, 1);
        assert_eq!(receiver.received().len(), 1);
    });
}

#[test]
fn deliveries_are_removed_when_their_time_is_over() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        test.clock().set("2026-01-31T12:00:00Z".parse().expect("a time"));
        let (made, gone) = (make(&test, &receiver.url(), &[]).await, make(&test, &receiver.url(), &[]).await);
        assert_eq!(try_out(&test, &made).await["status"], "delivered");
        receiver.answer(|_| StatusCode::GONE);
        assert_eq!(try_out(&test, &gone).await["status"], "failed");
        test.patch(format!("/webhooks/{}", gone["id"]), json!({ "active": true })).await.expect(200);
        test.post(format!("/webhooks/{}/test", gone["id"]), json!({})).await.expect(202);
        test.patch(format!("/webhooks/{}", gone["id"]), json!({ "active": false })).await.expect(200);
        let left = async |days: u64| {
            test.clock().advance(Duration::from_hours(24 * days));
            Webhooks::sweep(test.app()).await.expect("a sweep");
            test.get("/webhook-deliveries").await.expect(200).json()["total"].as_i64().expect("a number")
        };
        assert_eq!(left(7).await, 3, "not yet");
        test.clock().advance(Duration::from_secs(1));
        assert_eq!(left(0).await, 2, "delivered ones after a week");
        assert_eq!(left(23).await, 0, "others after thirty days");
        assert_eq!(database.texts("SELECT CAST(unfinished AS CHAR) FROM events_progress").await, ["0", "0"]);
        assert_eq!(webhook(&test, &made).await["active"], true);
    });
}

/// A delivery that is too old is removed while a younger one of its record waits.
#[test]
fn event_that_waits_is_sent_after_the_one_before_is_removed() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        test.clock().set("2026-01-31T12:00:00Z".parse().expect("a time"));
        let made = make(&test, &receiver.url(), &["staff"]).await;
        receiver.answer(|_| StatusCode::BAD_GATEWAY);
        test.post("/products", json!({ "name": "lamp" })).await.expect(201);
        deliver(&test).await;
        let days = |days: u64| test.clock().advance(Duration::from_hours(24 * days));
        days(20);
        test.patch("/products/1", json!({ "name": "chair" })).await.expect(200);
        deliver(&test).await;
        let path = format!("/webhooks/{}", made["id"]);
        test.patch(&path, json!({ "active": false })).await.expect(200);
        days(11);
        assert_eq!(Webhooks::sweep(test.app()).await.expect("a sweep"), 1);
        assert_eq!(Webhooks::sweep(test.app()).await.expect("a sweep"), 0, "nothing else is old");
        receiver.take();
        receiver.answer(|_| StatusCode::OK);
        test.patch(&path, json!({ "active": true })).await.expect(200);
        deliver(&test).await;
        let mut kinds: Vec<String> = receiver.take().iter().map(Received::kind).collect();
        kinds.sort();
        assert_eq!(kinds, ["product.updated", "reset"]);
        assert_eq!(database.texts("SELECT CAST(unfinished AS CHAR) FROM events_progress").await, ["0"]);
    });
}

/// Removes the entries of the log, as if their time was over.
async fn forget_events(database: &Database) {
    database.execute("DELETE FROM audit_logs").await;
    database.execute("DELETE FROM events_batch").await;
}

#[test]
fn webhook_is_sent_a_reset_when_it_is_active_again_after_events_were_removed() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        let made = make(&test, &receiver.url(), &["staff"]).await;
        test.post("/products", json!({ "name": "lamp" })).await.expect(201);
        deliver(&test).await;
        let path = format!("/webhooks/{}", made["id"]);
        test.patch(&path, json!({ "active": false })).await.expect(200);
        test.post("/products", json!({ "name": "chair" })).await.expect(201);
        deliver(&test).await;
        forget_events(database).await;
        test.post("/products", json!({ "name": "table" })).await.expect(201);
        receiver.take();
        test.patch(&path, json!({ "active": true })).await.expect(200);
        deliver(&test).await;
        let kinds: Vec<String> = receiver.take().iter().map(Received::kind).collect();
        assert_eq!(kinds, ["reset"], "it has missed the chair");
    });
}

#[test]
fn webhook_goes_on_when_a_copy_of_the_database_is_restored_meanwhile() {
    on_sqlite(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        make(&test, &receiver.url(), &[]).await;
        for name in ["kept", "one", "two", "three"] {
            test.post("/products", json!({ "name": name })).await.expect(201);
            deliver(&test).await;
        }
        for statement in [
            "DELETE FROM products WHERE id > 1",
            "DELETE FROM audit_logs WHERE id > 1",
            "DELETE FROM events_delivery WHERE seq > 1",
            "UPDATE events_progress SET position = 1",
            "UPDATE sqlite_sequence SET seq = 1 WHERE name IN ('products', 'audit_logs')",
        ] {
            database.execute(statement).await;
        }
        receiver.take();
        deliver(&test).await;
        test.post("/products", json!({ "name": "new" })).await.expect(201);
        deliver(&test).await;
        let names: Vec<_> = receiver.take().iter().map(|it| it.json()["data"]["name"].clone()).collect();
        assert_eq!(names, ["new"]);
    });
}

/// Its events are rare: those of other types are more than a week old when the next process begins.
#[test]
fn webhook_that_has_missed_nothing_is_sent_no_reset_by_the_next_process() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let start = "2026-01-31T12:00:00Z".parse().expect("a time");
        let before = admin(&shop(database, &receiver).await);
        before.clock().set(start);
        before
            .post("/webhooks", json!({ "url": receiver.url(), "types": ["memo.*"], "roles": ["staff"] }))
            .await
            .expect(201);
        for name in ["lamp", "chair"] {
            before.post("/products", json!({ "name": name })).await.expect(201);
            deliver(&before).await;
        }
        Webhooks::sweep(before.app()).await.expect("a sweep");
        drop(before);
        let next = admin(&shop(database, &receiver).await);
        next.clock().set(start + TimeDelta::days(8));
        next.post("/memos", json!({ "text": "order lamps" })).await.expect(201);
        deliver(&next).await;
        let kinds: Vec<String> = receiver.take().iter().map(Received::kind).collect();
        assert_eq!(kinds, ["memo.created"]);
    });
}

/// A label, whose key is a text of its maker.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(public)))]
struct Label {
    #[crud(id(client), length(max = 700))]
    id: String,
    text: String,
}

#[test]
fn record_with_a_long_key_has_events_like_others() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("authentication");
        let events = Events::new().resource::<Label>().webhooks(Webhooks::new().allow_http_to(receiver.host()));
        let service = database.service().await.auth(auth).plugin(events).expect("one plugin").resource::<Label>();
        let test = admin(&service.test().await.expect("the service"));
        make(&test, &receiver.url(), &[]).await;
        let keys = ["a", "b"].map(|last| "k".repeat(450) + last);
        for key in &keys {
            test.post("/labels", json!({ "id": key, "text": "fragile" })).await.expect(201);
        }
        assert_eq!(deliver(&test).await, 2);
        test.patch(format!("/labels/{}", keys[0]), json!({ "text": "heavy" })).await.expect(200);
        assert_eq!(deliver(&test).await, 1);
    });
}
