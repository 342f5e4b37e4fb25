//! The database goes and comes back under load.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crud_tests::writer::{KINDS, Writer};
use crud_tests::{Client, Cluster, Database, Server};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::support::{calm, settle, with_postgres};

/// Longer than a request waits for a connection, and shorter than it may take.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn a_restart_of_the_database_costs_some_requests_a_503_and_no_change_its_truth() {
    with_postgres(async {
        let cluster = Cluster::own();
        let database = Database::of(&cluster);
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), &database).await;
        let tag = server.post("/tags", &json!({ "slug": "constant" })).await.created();
        let stop = Arc::new(AtomicBool::new(false));
        let mut writers = JoinSet::new();
        for kind in KINDS {
            let (client, stop) = (Client::clone(&server), stop.clone());
            writers.spawn(async move {
                let mut writer = Writer::new(kind, 0);
                while !stop.load(Ordering::Relaxed) {
                    let begin = Instant::now();
                    writer.step(&client).await;
                    assert!(begin.elapsed() < PATIENCE, "a request hangs: {:?}", begin.elapsed());
                }
                writer
            });
        }
        let reader = tokio::spawn(read(Client::clone(&server), tag, stop.clone()));

        for _ in 0..2 {
            sleep(Duration::from_millis(500)).await;
            let stopping = cluster.clone();
            tokio::task::spawn_blocking(move || stopping.stop()).await.expect("it stops");
            sleep(Duration::from_millis(700)).await;
            server.get("/ready").await.problem("unavailable");
            server.get("/tags/constant").await.problem("unavailable");
            server.get("/health").await.ok();
            let starting = cluster.clone();
            tokio::task::spawn_blocking(move || starting.start()).await.expect("it starts");
            recover(&server).await;
        }
        sleep(Duration::from_millis(500)).await;
        stop.store(true, Ordering::Relaxed);

        let mut writers = writers.join_all().await;
        let (right, away) = reader.await.expect("the reader reads");
        assert!(right > 0 && away > 0, "{right} reads were answered, {away} by 503");
        calm(&database).await;
        settle(&server, &mut writers).await;
        let sum = |of: fn(&Writer) -> usize| writers.iter().map(of).sum::<usize>();
        assert!(sum(Writer::changes) > 20, "the writers write: {} changes", sum(Writer::changes));
        assert!(sum(Writer::unavailable) > 0, "some requests met a database that was away");
        assert_eq!(sum(Writer::unanswered), 0, "every request is answered");
    });
}

/// Reads one record until it is to stop; how often it came, and how often the database was away.
async fn read(client: Client, tag: serde_json::Value, stop: Arc<AtomicBool>) -> (usize, usize) {
    let (mut right, mut away) = (0, 0);
    while !stop.load(Ordering::Relaxed) {
        let answer = client.get("/tags/constant").await;
        if answer.status() == 503 {
            away += 1;
        } else {
            assert_eq!(answer.ok(), tag);
            right += 1;
        }
    }
    (right, away)
}

/// Waits until twenty requests in a row are answered, which is as soon as the connections are new.
async fn recover(server: &Client) {
    let begin = Instant::now();
    let mut row = 0;
    while row < 20 {
        let answer = server.get("/tags/constant").await;
        row = if answer.status() == 200 { row + 1 } else { 0 };
        assert!(begin.elapsed() < PATIENCE, "the pool does not recover: {answer}");
    }
}
