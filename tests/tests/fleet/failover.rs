//! The loss of a primary: a standby is promoted, and the service follows it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crud_tests::writer::{WRITE_TARGETS, Writer};
use crud_tests::{Client, Cluster, Database, Server};
use serde_json::json;
use tokio::task::{JoinSet, spawn_blocking};

use crate::support::{execute, reconcile, with_postgres};

/// How long a service may take to write again after a promotion.
const LIMIT: Duration = Duration::from_secs(5);

/// Runs what waits for a server's program on another thread.
async fn with(cluster: &Arc<Cluster>, work: fn(&Cluster)) {
    let cluster = cluster.clone();
    spawn_blocking(move || work(&cluster)).await.expect("the server's program");
}

/// Waits until a change is acknowledged; every other answer is 503.
async fn wait_for_writes(client: &Client, limit: Duration) -> Duration {
    let begin = Instant::now();
    loop {
        let slug = format!("after-{}", fastrand::u64(..));
        let answer = client.post("/tags", &json!({ "slug": slug })).await;
        if answer.status() == 201 {
            return begin.elapsed();
        }
        assert_eq!(answer.status(), 503, "{answer}");
        assert!(answer.header("retry-after").is_some(), "{answer}");
        assert!(begin.elapsed() < limit, "no change is possible: {answer}");
    }
}

#[test]
fn promotion_is_followed_and_nothing_acknowledged_is_lost() {
    with_postgres(async {
        let first = Cluster::durable();
        let own = Database::in_cluster(&first);
        let second = first.replica();
        // A commit waits for the standby, so that its promotion loses none.
        execute(own.url(), "ALTER SYSTEM SET synchronous_standby_names = '*'").await;
        execute(own.url(), "SELECT pg_reload_conf()").await;
        let database = own.in_all(&[&second, &first]);
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), &database).await;
        let stop = Arc::new(AtomicBool::new(false));
        let mut writers = JoinSet::new();
        for target in WRITE_TARGETS {
            let (client, stop) = (Client::clone(&server), stop.clone());
            writers.spawn(async move {
                let mut writer = Writer::new(target, 0);
                while !stop.load(Ordering::Relaxed) {
                    writer.step(&client).await;
                }
                writer
            });
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        with(&first, Cluster::stop).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        with(&second, Cluster::promote).await;
        let away = wait_for_writes(&server, LIMIT).await;
        eprintln!("the service wrote again {} ms after the promotion", away.as_millis());
        tokio::time::sleep(Duration::from_millis(500)).await;
        // The old primary comes back, does not know that it was replaced, and would take changes.
        with(&first, Cluster::start).await;
        execute(own.url(), "ALTER SYSTEM RESET synchronous_standby_names").await;
        execute(own.url(), "SELECT pg_reload_conf()").await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        wait_for_writes(&server, Duration::from_secs(1)).await;
        stop.store(true, Ordering::Relaxed);

        let mut writers = writers.join_all().await;
        reconcile(&server, &mut writers).await;
        let sum = |count: fn(&Writer) -> usize| writers.iter().map(count).sum::<usize>();
        assert!(sum(Writer::changes) > 20, "the writers write too little: {} changes", sum(Writer::changes));
        assert_eq!(sum(Writer::unanswered), 0, "a request was not answered");
        // A service that starts now chooses the new primary too.
        let later = Server::start(env!("CARGO_BIN_EXE_kitchen"), &own.in_all(&[&first, &second])).await;
        reconcile(&later, &mut writers).await;
    });
}
