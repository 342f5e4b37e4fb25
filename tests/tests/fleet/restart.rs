//! Restarts of the database under load.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crud_tests::writer::Writer;
use crud_tests::{Client, Cluster, Database, Server};
use serde_json::json;

use crate::support::load::{Load, wait_for_more};
use crate::support::three::with;
use crate::support::{reconcile, wait_until, wait_until_idle, with_postgres};

/// Outcomes of reads: indexes of their counts.
const SUCCEEDED: usize = 0;
const UNAVAILABLE: usize = 1;

/// `CRUD_TEST_RESTARTS` says how many restarts there are instead of two.
#[test]
fn database_restart_answers_503_and_loses_no_change() {
    with_postgres(async {
        let cluster = Cluster::durable();
        let database = Database::in_cluster(&cluster);
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), &database).await;
        let tag = server.post("/tags", &json!({ "slug": "constant" })).await.created();
        // A request that hangs is 504 in the end, which no writer accepts.
        let load = Load::start(&[&server]);
        let stop = Arc::new(AtomicBool::new(false));
        let reads = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let reader = tokio::spawn(read(Client::clone(&server), tag, stop.clone(), reads.clone()));
        // Waits until this many more reads have succeeded, or met a stopped database.
        let wait_for_reads = async |outcome: usize, count: usize| {
            wait_for_more("reads go on", &reads[outcome], count).await;
        };

        let restarts = std::env::var("CRUD_TEST_RESTARTS").map_or(2, |text| text.parse().expect("a number"));
        for _ in 0..restarts {
            wait_for_reads(SUCCEEDED, 100).await;
            with(&cluster, Cluster::stop).await;
            wait_for_reads(UNAVAILABLE, 5).await;
            server.get("/ready").await.problem("unavailable");
            server.get("/tags/constant").await.problem("unavailable");
            server.get("/health").await.ok();
            with(&cluster, Cluster::start).await;
            recover(&server).await;
        }
        wait_for_reads(SUCCEEDED, 100).await;
        stop.store(true, Ordering::Relaxed);

        let mut writers = load.stop().await;
        reader.await.expect("the reader");
        wait_until_idle(&database).await;
        reconcile(&server, &mut writers).await;
        let sum = |count: fn(&Writer) -> usize| writers.iter().map(count).sum::<usize>();
        assert!(sum(Writer::changes) > 20, "the writers write too little: {} changes", sum(Writer::changes));
        assert!(sum(Writer::unavailable) > 0, "no request met a stopped database");
        let (changes, unavailable) = (sum(Writer::changes), sum(Writer::unavailable));
        println!("{restarts} restarts, {changes} changes acknowledged, {unavailable} refused, none lost");
    });
}

/// Reads one record until stopped; counts the reads by their outcome.
async fn read(client: Client, tag: serde_json::Value, stop: Arc<AtomicBool>, reads: Arc<[AtomicUsize; 2]>) {
    while !stop.load(Ordering::Relaxed) {
        let answer = client.get("/tags/constant").await;
        if answer.status() == 503 {
            reads[UNAVAILABLE].fetch_add(1, Ordering::Relaxed);
        } else {
            assert_eq!(answer.ok(), tag);
            reads[SUCCEEDED].fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Waits until twenty requests in a row succeed: every connection is new then.
async fn recover(server: &Client) {
    wait_until("the pool recovers", async || {
        for _ in 0..20 {
            if server.get("/tags/constant").await.status() != 200 {
                return false;
            }
        }
        true
    })
    .await;
}
