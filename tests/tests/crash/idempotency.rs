use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crud_tests::{Client, Database, Server, on_each_sql_backend};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{random_moment, rounds};

/// Clients that send payments at the same time.
const CLIENTS: usize = 4;

/// A client that repeats a payment until it is answered.
struct Payer {
    name: String,
    /// The number of its latest payment.
    latest: usize,
    /// Number of payments that were sent again after the server was killed.
    repeated: usize,
    is_answered: bool,
}

impl Payer {
    fn new(number: usize) -> Self {
        Self { name: format!("payer-{number}"), latest: 0, repeated: 0, is_answered: true }
    }

    /// Sends the next payment, or the one that has no answer yet; whether it was answered.
    async fn step(&mut self, client: &Client) -> bool {
        if self.is_answered {
            self.latest += 1;
        } else {
            self.repeated += 1;
        }
        let reference = format!("{}-{}", self.name, self.latest);
        let request = client.post("/payments", &json!({ "reference": reference, "amount": 5 }));
        let answer = request.header("idempotency-key", &reference).attempt().await;
        self.is_answered = answer.map(|answer| answer.expect(201)).is_some();
        self.is_answered
    }
}

async fn start(database: &Database) -> Server {
    Server::start_with(env!("CARGO_BIN_EXE_kitchen"), &[], &[("WITH_PAYMENTS", "1")], database).await
}

/// Sends payments until the process is killed.
async fn pay_until_killed(mut server: Server, payers: Vec<Payer>) -> Vec<Payer> {
    let (mut running, acknowledged) = (JoinSet::new(), Arc::<AtomicUsize>::default());
    for mut payer in payers {
        let (client, acknowledged) = (Client::clone(&server), acknowledged.clone());
        running.spawn(async move {
            while payer.step(&client).await {
                acknowledged.fetch_add(1, Ordering::Relaxed);
            }
            payer
        });
    }
    random_moment(&acknowledged, 100).await;
    server.signal("KILL").await;
    server.ended().await;
    running.join_all().await
}

/// Number of payments with each reference.
async fn references(server: &Server) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    loop {
        let skip = found.values().sum::<usize>();
        let page = server.get(format!("/payments?limit=1000&skip={skip}")).await.ok();
        let records = page["data"].as_array().expect("records").clone();
        if records.is_empty() {
            return found;
        }
        for reference in records.iter().filter_map(|record| record["reference"].as_str()) {
            *found.entry(reference.to_owned()).or_default() += 1;
        }
    }
}

async fn survive(database: &Database, rounds: usize) {
    let mut payers: Vec<Payer> = (0..CLIENTS).map(Payer::new).collect();
    for _ in 0..rounds {
        payers = pay_until_killed(start(database).await, payers).await;
    }
    let server = start(database).await;
    for payer in payers.iter_mut().filter(|payer| !payer.is_answered) {
        assert!(payer.step(&server).await, "a payment has no answer");
    }
    let sent = payers.iter().flat_map(|payer| (1..=payer.latest).map(|number| format!("{}-{number}", payer.name)));
    let expected: BTreeMap<String, usize> = sent.map(|reference| (reference, 1)).collect();
    assert_eq!(references(&server).await, expected, "a payment is missing, or was made twice");
    let entries: Value = server.get("/audit-logs?limit=1").await.ok()["total"].clone();
    assert_eq!(entries, expected.len(), "each payment has one entry in the audit log");
    let repeated: usize = payers.iter().map(|payer| payer.repeated).sum();
    assert!(repeated > 0, "no payment was in flight when the process was killed");
}

#[test]
fn create_that_is_retried_after_a_crash_makes_one_record() {
    on_each_sql_backend(async |database| survive(database, rounds()).await);
}
