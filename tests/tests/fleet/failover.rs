//! The loss of a primary: a standby is promoted, and the service follows it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crud_tests::writer::{WRITE_TARGETS, Writer};
use crud_tests::{Client, Cluster, Database, Server};
use tokio::task::JoinSet;

use crate::support::three::{Seen, Three, count_tags, wait_for_writes, with};
use crate::support::{execute, holds, reconcile, with_postgres};

/// How long a service may take to write again after a promotion.
const LIMIT: Duration = Duration::from_secs(5);

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

#[test]
fn killed_primary_is_followed_to_one_standby_and_the_other_follows_too() {
    with_postgres(async {
        let three = Three::start(Duration::from_secs(30)).await;
        let stop = Arc::new(AtomicBool::new(false));
        let writers = three.writers(6, &stop);
        tokio::time::sleep(Duration::from_secs(1)).await;
        with(&three.first, Cluster::stop).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        with(&three.second, Cluster::promote).await;
        wait_for_writes(&three.api, LIMIT).await;
        three.third_follows_second().await;
        // The old primary comes back as if nothing had happened, and takes changes from clients that know it alone.
        with(&three.first, Cluster::start).await;
        let before = format!("(SELECT count(*) FROM tags) = {}", count_tags(&three.own.url_in(&three.first)).await);
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(holds(&three.own.url_in(&three.first), &before).await, "the service writes to the old primary");
        stop.store(true, Ordering::Relaxed);
        let Seen { statuses, .. } = three.reconcile(writers).await;
        assert!(statuses.keys().all(|status| matches!(status, 201 | 503)), "{statuses:?}");
        three.end().await;
    });
}

#[test]
fn hanging_primary_is_followed_to_a_standby() {
    with_postgres(async {
        let three = Three::start(Duration::from_secs(4)).await;
        let stop = Arc::new(AtomicBool::new(false));
        let writers = three.writers(6, &stop);
        tokio::time::sleep(Duration::from_secs(1)).await;
        let frozen = three.first.freeze();
        with(&three.second, Cluster::promote).await;
        tokio::time::sleep(Duration::from_secs(9)).await;
        drop(frozen);
        tokio::time::sleep(Duration::from_secs(2)).await;
        stop.store(true, Ordering::Relaxed);
        let Seen { statuses, gap, .. } = three.reconcile(writers).await;
        // A request on a connection to the server that hangs takes its whole time.
        assert!(statuses.keys().all(|status| matches!(status, 201 | 503 | 504)), "{statuses:?}");
        assert!(gap < Duration::from_secs(8), "no change for {gap:?}");
        three.end().await;
    });
}
