//! Processes that are killed at any step: each event is delivered at least once, in the order of its record.

use std::collections::BTreeMap;
use std::time::Duration;

use crud_tests::{Operator, amount, on_each_sql_backend, pause, wait_until};
use serde_json::json;

use crate::process::start;
use crate::receiver::{Received, Receiver};

/// The number of products.
const PRODUCTS: i64 = 5;

#[test]
fn killed_sender_loses_no_event() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let mut server = start(database, &receiver.host()).await;
        let operator = Operator::log_in(&server).await;
        operator.create("/webhooks", json!({ "url": receiver.url(), "types": ["*"] })).await;
        let mut last: BTreeMap<i64, i64> = BTreeMap::new();
        for _ in 0..PRODUCTS {
            last.insert(operator.create("/products", json!({ "name": "0" })).await, 0);
        }
        let rounds = amount("webhooks", 4, 100);
        let mut random = fastrand::Rng::with_seed(7);
        for round in 1..=rounds {
            // The killed process had the right to make deliveries.
            database.execute("DELETE FROM events_lease").await;
            change(&Operator::log_in(&server).await, &mut last, round).await;
            pause("a time of deliveries", Duration::from_millis(random.u64(0..200))).await;
            server.signal("KILL").await;
            drop(server);
            server = start(database, &receiver.host()).await;
        }
        // Deliveries that a killed process had begun are due when their leases end.
        let due = "UPDATE events_delivery SET leased_until = NULL WHERE status = 'pending'";
        database.execute(due).await;
        let expected: BTreeMap<_, _> = last.iter().map(|(id, version)| (*id, version.to_string())).collect();
        wait_until("the last state of each product is delivered", async || states(&receiver.received()) == expected)
            .await;
        let received = receiver.received();
        let doubled = received.len() - ids(&received).len();
        println!("{}: {rounds} kills, {} messages, {doubled} of them again", database.backend().name(), received.len());
    });
}

/// Changes each product, whose name is a number that grows.
async fn change(operator: &Operator, last: &mut BTreeMap<i64, i64>, round: i64) {
    for (id, version) in last.iter_mut() {
        let body = json!({ "name": round.to_string() });
        assert!(operator.try_put(&format!("/products/{id}"), &body).await, "{id} takes {round}");
        *version = round;
    }
}

/// The state of each product by its messages, whose events are in order.
fn states(received: &[Received]) -> BTreeMap<i64, String> {
    let mut states: BTreeMap<i64, (i64, String)> = BTreeMap::new();
    for message in received {
        let json = message.json();
        let (record, event) = (json["record_id"].as_i64().expect("a key"), message.id.parse().expect("a number"));
        let name = json["data"]["name"].as_str().expect("a name").to_owned();
        let before = states.insert(record, (event, name));
        assert!(before.is_none_or(|(before, _)| before <= event), "{record}: {event} after a later one");
    }
    states.into_iter().map(|(record, (_, name))| (record, name)).collect()
}

fn ids(received: &[Received]) -> std::collections::BTreeSet<String> {
    received.iter().map(|message| message.id.clone()).collect()
}
