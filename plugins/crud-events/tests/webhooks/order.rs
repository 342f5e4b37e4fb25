//! The order of events.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use axum::http::StatusCode;
use crud_tests::on_each_sql_backend;
use serde_json::json;

use crate::receiver::Receiver;
use crate::shop::{admin, deliver, make, shop};

/// Changes of three products, of which the second one's messages fail for a while.
#[test]
fn events_of_one_record_are_in_order_while_others_go_on() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        test.clock().set("2026-01-31T12:00:00Z".parse().expect("a time"));
        make(&test, &receiver.url(), &[]).await;
        for name in ["a", "b", "c"] {
            test.post("/products", json!({ "name": name })).await.expect(201);
        }
        assert_eq!(deliver(&test).await, 3);
        receiver.answer(|received| match received.json()["record_id"].as_i64() {
            Some(2) => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::OK,
        });
        for version in 1..=5 {
            for id in 1..=3 {
                test.patch(format!("/products/{id}"), json!({ "name": format!("{id}.{version}") })).await.expect(200);
            }
            deliver(&test).await;
        }
        let mut of: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for received in receiver.take() {
            let record = received.json()["record_id"].as_i64().expect("a key");
            of.entry(record).or_default().push(received.id.parse().expect("a number"));
        }
        assert_eq!((of[&1].len(), of[&2].len(), of[&3].len()), (6, 2, 6), "the second one's queue waits");
        assert!(of.values().all(|ids| ids.is_sorted()), "{of:?}");
        receiver.answer(|_| StatusCode::OK);
        test.clock().advance(Duration::from_mins(1));
        deliver(&test).await;
        let ids: Vec<i64> = receiver.take().iter().map(|it| it.id.parse().expect("a number")).collect();
        assert!(ids.len() == 5 && ids.is_sorted(), "{ids:?}");
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 5);
    });
}

#[test]
fn messages_are_the_events_of_matching_types() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        let body = json!({ "url": receiver.url(), "types": ["product.created", "*.removed"] });
        test.post("/webhooks", body).await.expect(201);
        test.post("/products", json!({ "name": "lamp" })).await.expect(201);
        deliver(&test).await;
        let received = receiver.take();
        assert_eq!(received.len(), 1);
        let message = received[0].json();
        assert_eq!((&message["type"], &message["id"]), (&json!("product.created"), &json!(received[0].id)));
        assert_eq!((&message["resource"], &message["record_id"]), (&json!("products"), &json!(1)));
        assert_eq!(message["data"]["name"], "lamp");
        assert!(message["timestamp"].is_string(), "{message}");
        test.patch("/products/1", json!({ "name": "desk" })).await.expect(200);
        test.delete("/products/1").await.expect(200);
        deliver(&test).await;
        let kinds: Vec<_> = receiver.take().iter().map(crate::receiver::Received::kind).collect();
        assert_eq!(kinds, ["product.removed"]);
    });
}

#[test]
fn inactive_webhook_is_sent_the_events_of_the_meantime_when_it_is_active() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        test.post("/products", json!({ "name": "before" })).await.expect(201);
        deliver(&test).await;
        let made = make(&test, &receiver.url(), &[]).await;
        test.post("/products", json!({ "name": "lamp" })).await.expect(201);
        deliver(&test).await;
        assert_eq!(receiver.take().len(), 1, "none of before it was made");
        let path = format!("/webhooks/{}", made["id"]);
        test.patch(&path, json!({ "active": false })).await.expect(200);
        for name in ["chair", "table"] {
            test.post("/products", json!({ "name": name })).await.expect(201);
        }
        assert_eq!(deliver(&test).await, 0);
        test.patch(&path, json!({ "active": true })).await.expect(200);
        assert_eq!(deliver(&test).await, 2);
        let names: BTreeSet<_> = receiver.take().iter().map(|it| it.json()["data"]["name"].to_string()).collect();
        assert_eq!(names, BTreeSet::from(["\"chair\"".to_owned(), "\"table\"".to_owned()]));
    });
}

/// The second change is committed before the first one has a delivery.
#[test]
fn several_changes_within_a_moment_are_told_as_one() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        let body = json!({ "url": receiver.url(), "types": ["product.created", "*.removed"] });
        test.post("/webhooks", body).await.expect(201);
        test.post("/products", json!({ "name": "lamp" })).await.expect(201);
        test.patch("/products/1", json!({ "name": "desk" })).await.expect(200);
        deliver(&test).await;
        let told: Vec<_> = receiver.take().iter().map(crate::receiver::Received::json).collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!((&told[0]["type"], &told[0]["data"]["name"]), (&json!("product.created"), &json!("desk")));
        test.delete("/products/1").await.expect(200);
        test.delete("/products/1/permanent").await.expect(200);
        deliver(&test).await;
        let kinds: Vec<_> = receiver.take().iter().map(crate::receiver::Received::kind).collect();
        assert_eq!(kinds, ["product.removed"]);
    });
}

#[test]
fn message_names_the_fields_of_all_of_its_changes() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        test.post("/products", json!({ "name": "lamp" })).await.expect(201);
        make(&test, &receiver.url(), &["staff"]).await;
        test.patch("/products/1", json!({ "cost": 7 })).await.expect(200);
        test.post("/memos", json!({ "text": "between" })).await.expect(201);
        test.patch("/products/1", json!({ "name": "desk" })).await.expect(200);
        deliver(&test).await;
        let told: Vec<_> = receiver.take().iter().map(crate::receiver::Received::json).collect();
        let of_product: Vec<_> = told.iter().filter(|it| it["resource"] == "products").collect();
        assert_eq!(of_product.len(), 1, "{told:?}");
        assert_eq!(of_product[0]["changed"], json!(["name", "cost"]));
    });
}
