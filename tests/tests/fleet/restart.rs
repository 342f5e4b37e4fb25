//! Restarts of the database under load.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crud_tests::writer::{WRITE_TARGETS, Writer};
use crud_tests::{Client, Cluster, Database, Server};
use serde_json::json;
use tokio::task::JoinSet;

use crate::support::{reconcile, wait_until, wait_until_idle, with_postgres};

/// Longer than the wait for a connection, shorter than the request timeout.
const RECOVERY_TIMEOUT: Duration = Duration::from_secs(20);

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
        let stop = Arc::new(AtomicBool::new(false));
        let mut writers = JoinSet::new();
        for target in WRITE_TARGETS {
            let (client, stop) = (Client::clone(&server), stop.clone());
            writers.spawn(async move {
                let mut writer = Writer::new(target, 0);
                while !stop.load(Ordering::Relaxed) {
                    let begin = Instant::now();
                    writer.step(&client).await;
                    assert!(begin.elapsed() < RECOVERY_TIMEOUT, "a request hangs: {:?}", begin.elapsed());
                }
                writer
            });
        }
        let reads = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let reader = tokio::spawn(read(Client::clone(&server), tag, stop.clone(), reads.clone()));
        // Waits until this many more reads have succeeded, or met a stopped database.
        let wait_for_reads = async |outcome: usize, count: usize| {
            let before = reads[outcome].load(Ordering::Relaxed);
            wait_until("reads go on", async || reads[outcome].load(Ordering::Relaxed) >= before + count).await;
        };

        let restarts = std::env::var("CRUD_TEST_RESTARTS").map_or(2, |text| text.parse().expect("a number"));
        for _ in 0..restarts {
            wait_for_reads(SUCCEEDED, 100).await;
            let stopping = cluster.clone();
            tokio::task::spawn_blocking(move || stopping.stop()).await.expect("the database stops");
            wait_for_reads(UNAVAILABLE, 5).await;
            server.get("/ready").await.problem("unavailable");
            server.get("/tags/constant").await.problem("unavailable");
            server.get("/health").await.ok();
            let starting = cluster.clone();
            tokio::task::spawn_blocking(move || starting.start()).await.expect("the database starts");
            recover(&server).await;
        }
        wait_for_reads(SUCCEEDED, 100).await;
        stop.store(true, Ordering::Relaxed);

        let mut writers = writers.join_all().await;
        reader.await.expect("the reader");
        wait_until_idle(&database).await;
        reconcile(&server, &mut writers).await;
        let sum = |count: fn(&Writer) -> usize| writers.iter().map(count).sum::<usize>();
        assert!(sum(Writer::changes) > 20, "the writers write too little: {} changes", sum(Writer::changes));
        assert!(sum(Writer::unavailable) > 0, "no request met a stopped database");
        assert_eq!(sum(Writer::unanswered), 0, "a request was not answered");
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
    let begin = Instant::now();
    let mut row = 0;
    while row < 20 {
        let answer = server.get("/tags/constant").await;
        row = if answer.status() == 200 { row + 1 } else { 0 };
        assert!(begin.elapsed() < RECOVERY_TIMEOUT, "the pool does not recover: {answer}");
    }
}
