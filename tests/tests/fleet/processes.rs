//! Three processes on one database behave as one under load and faults.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crud_tests::audit_log;
use crud_tests::writer::{WRITE_TARGETS, Writer};
use crud_tests::{Backend, Client, Database, Server};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::support::{connect, execute, holds, reconcile, wait_until, wait_until_idle, with_postgres};

/// Writers of each resource, each with its own records.
const WRITERS: usize = 2;

/// Clients that increment the same records.
const COUNTERS: usize = 4;

/// The records that they increment.
const COUNTS: [&str; 2] = ["apples", "pears"];

/// The running servers.
type Running = watch::Receiver<Vec<Client>>;

/// A random running server.
fn any_running(running: &Running) -> Client {
    let servers = running.borrow();
    servers[fastrand::usize(..servers.len())].clone()
}

#[test]
fn three_processes_neither_lose_nor_repeat_changes_under_faults() {
    with_postgres(async {
        let database = Backend::Postgres.fresh();
        let start = || Server::start(env!("CARGO_BIN_EXE_kitchen"), &database);
        let (first, mut second, third) = tokio::join!(start(), start(), start());
        for name in COUNTS.into_iter().chain(["plums"]) {
            first.post("/anonymous", &json!({ "name": name, "size": 0 })).await.created();
        }
        let (sender, running) =
            watch::channel(vec![Client::clone(&first), Client::clone(&second), Client::clone(&third)]);
        let stop = Arc::new(AtomicBool::new(false));
        let mut writers = JoinSet::new();
        for number in 0..WRITERS {
            for target in WRITE_TARGETS {
                let (running, stop) = (running.clone(), stop.clone());
                writers.spawn(async move {
                    let mut writer = Writer::new(target, number);
                    while !stop.load(Ordering::Relaxed) {
                        let server = any_running(&running);
                        writer.step(&server).await;
                    }
                    writer
                });
            }
        }
        let mut counters = JoinSet::new();
        let counted = Arc::new(AtomicUsize::new(0));
        for _ in 0..COUNTERS {
            counters.spawn(increment(running.clone(), stop.clone(), counted.clone()));
        }
        // Waits until the servers have acknowledged more counts.
        let wait_for_counts = async || {
            let before = counted.load(Ordering::Relaxed);
            wait_until("the counts go on", async || counted.load(Ordering::Relaxed) >= before + 20).await;
        };

        wait_for_counts().await;
        terminate_connections(&database).await;
        wait_for_counts().await;
        // One change is certainly in flight: it waits for a record that another transaction locks.
        let mut holder = connect(database.url()).await;
        let hold = "BEGIN; SELECT FROM anonymous WHERE name = 'plums' FOR UPDATE";
        sqlx::raw_sql(hold).execute(&mut holder).await.expect("the record is held");
        let pid = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut holder).await;
        let pid: i32 = pid.expect("the holder's backend process");
        let client = Client::clone(&second);
        let in_flight = tokio::spawn(async move {
            // A terminated connection answers 503: the request is sent again.
            while let Some(answer) = client.put("/anonymous/plums", &json!({ "size": 1 })).attempt().await {
                answer.problem("unavailable");
            }
        });
        let waits = format!("EXISTS (SELECT FROM pg_stat_activity WHERE {pid} = ANY (pg_blocking_pids(pid)))");
        wait_until("the change waits for the lock", async || holds(database.url(), &waits).await).await;
        second.signal("KILL").await;
        sender.send_replace(vec![Client::clone(&first), Client::clone(&third)]);
        second.ended().await;
        in_flight.await.expect("the request of the killed process ends");
        sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.expect("the record is free");
        wait_for_counts().await;
        terminate_connections(&database).await;
        let second = start().await;
        sender.send_replace(vec![Client::clone(&first), Client::clone(&second), Client::clone(&third)]);
        wait_for_counts().await;
        stop.store(true, Ordering::Relaxed);

        let mut writers = writers.join_all().await;
        let acknowledged = counters.join_all().await;
        wait_until_idle(&database).await;
        reconcile(&third, &mut writers).await;
        check_counts(&second, acknowledged.into_iter().flatten().collect()).await;
        let sum = |count: fn(&Writer) -> usize| writers.iter().map(count).sum::<usize>();
        assert!(sum(Writer::changes) > 50, "the writers write too little: {} changes", sum(Writer::changes));
        for target in WRITE_TARGETS {
            let lists = [&first, &second, &third]
                .map(|server| server.get(format!("{}?{}", target.prefix, target.include_deleted())));
            let [first, second, third] = lists.map(IntoFuture::into_future);
            let (first, second, third) = (first.await.ok(), second.await.ok(), third.await.ok());
            assert!(first == second && second == third, "the servers return the same records of {}", target.entity);
        }
    });
}

/// Terminates every connection to the database, also in the middle of a statement.
async fn terminate_connections(database: &Database) {
    const TERMINATE: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                       WHERE datname = current_database() AND pid <> pg_backend_pid()";
    execute(database.url(), TERMINATE).await;
}

/// Increments the stored counts, each guarded by its version; returns the acknowledged counts.
async fn increment(running: Running, stop: Arc<AtomicBool>, counted: Arc<AtomicUsize>) -> Vec<(&'static str, i64)> {
    let mut acknowledged = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let name = COUNTS[fastrand::usize(..COUNTS.len())];
        let path = format!("/anonymous/{name}");
        let (reader, writer) = (any_running(&running), any_running(&running));
        let Some(stored) = reader.get(&path).attempt().await.filter(|answer| answer.status() != 503) else { continue };
        let version = stored.header("etag").expect("a version").to_owned();
        let next = stored.ok()["size"].as_i64().expect("a count") + 1;
        let update = writer.put(&path, &json!({ "size": next })).header("if-match", &version);
        match update.attempt().await {
            Some(answer) if [412, 503].contains(&answer.status()) => {}
            Some(answer) => {
                answer.ok();
                acknowledged.push((name, next));
                counted.fetch_add(1, Ordering::Relaxed);
            }
            None => {}
        }
    }
    acknowledged
}

/// Compares the counts with the log: each number was counted once, and no acknowledged one is missing.
async fn check_counts(client: &Client, acknowledged: Vec<(&str, i64)>) {
    let distinct: BTreeSet<_> = acknowledged.iter().copied().collect();
    assert_eq!(distinct.len(), acknowledged.len(), "a number was counted twice");
    assert!(distinct.len() > 20, "too few counts: {}", distinct.len());
    let log = audit_log::entries(client, "Anonymous").await;
    let replayed = audit_log::replay(&log).expect("a consistent log");
    let stored = client.get("/anonymous/plums").await.ok();
    assert_eq!(replayed["\"plums\""], Some(stored), "the change in flight in the killed process is whole or absent");
    for name in COUNTS {
        let updates = log.iter().filter(|entry| entry["entity_id"] == name && entry["action"] == "update");
        let counted: Vec<_> = updates.map(|entry| entry["changes"]["size"].clone()).collect();
        let numbers: Vec<_> = (1..).take(counted.len()).map(Value::from).collect();
        assert_eq!(counted, numbers, "the log of the {name}");
        let stored = client.get(format!("/anonymous/{name}")).await.ok();
        assert_eq!(stored["size"], counted.len(), "the {name}");
        let last = distinct.iter().filter(|(of, _)| *of == name).map(|(_, number)| *number).max();
        assert!(last.is_none_or(|last| stored["size"].as_i64() >= Some(last)), "a count is lost: {last:?} of {stored}");
    }
}
