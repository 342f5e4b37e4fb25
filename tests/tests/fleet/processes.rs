//! Three processes on one database, under load and faults, behave as one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crud_tests::trail;
use crud_tests::writer::{KINDS, Writer};
use crud_tests::{Backend, Client, Database, Server};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::support::{calm, connect, is, run, settle, wait_until, with_postgres};

/// Writers of each kind, each with records of its own.
const WRITERS: usize = 2;

/// Clients that count in the same records.
const COUNTERS: usize = 4;

/// The records they count in.
const COUNTS: [&str; 2] = ["apples", "pears"];

/// The servers that are up, for whoever needs one.
type Up = watch::Receiver<Vec<Client>>;

/// One of the servers that are up.
fn any(up: &Up) -> Client {
    let up = up.borrow();
    up[fastrand::usize(..up.len())].clone()
}

#[test]
fn three_processes_lose_nothing_and_double_nothing_whatever_becomes_of_one() {
    with_postgres(async {
        let database = Backend::Postgres.fresh();
        let start = || Server::start(env!("CARGO_BIN_EXE_kitchen"), &database);
        let (first, mut second, third) = tokio::join!(start(), start(), start());
        for name in COUNTS.into_iter().chain(["plums"]) {
            first.post("/anonymous", &json!({ "name": name, "size": 0 })).await.created();
        }
        let (sender, up) = watch::channel(vec![Client::clone(&first), Client::clone(&second), Client::clone(&third)]);
        let stop = Arc::new(AtomicBool::new(false));
        let mut writers = JoinSet::new();
        for number in 0..WRITERS {
            for kind in KINDS {
                let (up, stop) = (up.clone(), stop.clone());
                writers.spawn(async move {
                    let mut writer = Writer::new(kind, number);
                    while !stop.load(Ordering::Relaxed) {
                        let server = any(&up);
                        writer.step(&server).await;
                    }
                    writer
                });
            }
        }
        let mut counters = JoinSet::new();
        for _ in 0..COUNTERS {
            counters.spawn(count(up.clone(), stop.clone()));
        }

        sleep(Duration::from_millis(800)).await;
        cut_connections(&database).await;
        sleep(Duration::from_millis(400)).await;
        // One change is in hand for certain: it waits for a record that somebody else holds.
        let mut holder = connect(database.url()).await;
        let hold = "BEGIN; SELECT FROM anonymous WHERE name = 'plums' FOR UPDATE";
        sqlx::raw_sql(hold).execute(&mut holder).await.expect("the record is held");
        let pid = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut holder).await;
        let pid: i32 = pid.expect("the holder's process");
        let client = Client::clone(&second);
        let in_hand = tokio::spawn(async move {
            // Again, where it met a connection that was cut.
            while let Some(answer) = client.put("/anonymous/plums", &json!({ "size": 1 })).attempt().await {
                answer.problem("unavailable");
            }
        });
        let waits = format!("EXISTS (SELECT FROM pg_stat_activity WHERE {pid} = ANY (pg_blocking_pids(pid)))");
        wait_until("the change waits", async || is(database.url(), &waits).await).await;
        second.signal("KILL").await;
        sender.send_replace(vec![Client::clone(&first), Client::clone(&third)]);
        second.ended().await;
        in_hand.await.expect("nobody answers for the process");
        sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.expect("the record is free");
        sleep(Duration::from_millis(600)).await;
        cut_connections(&database).await;
        let second = start().await;
        sender.send_replace(vec![Client::clone(&first), Client::clone(&second), Client::clone(&third)]);
        sleep(Duration::from_millis(800)).await;
        stop.store(true, Ordering::Relaxed);

        let mut writers = writers.join_all().await;
        let counted = counters.join_all().await;
        calm(&database).await;
        settle(&third, &mut writers).await;
        check_counts(&second, counted.into_iter().flatten().collect()).await;
        let sum = |of: fn(&Writer) -> usize| writers.iter().map(of).sum::<usize>();
        assert!(sum(Writer::changes) > 50, "the writers write: {} changes", sum(Writer::changes));
        for kind in KINDS {
            let lists = [&first, &second, &third].map(|server| server.get(format!("{}?{}", kind.prefix, kind.all())));
            let [first, second, third] = lists.map(IntoFuture::into_future);
            let (first, second, third) = (first.await.ok(), second.await.ok(), third.await.ok());
            assert!(first == second && second == third, "the servers tell the same of {}", kind.entity);
        }
    });
}

/// Breaks every connection to the database, whatever is going on on it.
async fn cut_connections(database: &Database) {
    const CUT: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                       WHERE datname = current_database() AND pid <> pg_backend_pid()";
    run(database.url(), CUT).await;
}

/// Counts on, each time from what is stored, where nobody else has counted in between; the counts that were
/// acknowledged.
async fn count(up: Up, stop: Arc<AtomicBool>) -> Vec<(&'static str, i64)> {
    let mut acknowledged = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let name = COUNTS[fastrand::usize(..COUNTS.len())];
        let path = format!("/anonymous/{name}");
        let (reader, writer) = (any(&up), any(&up));
        let Some(stored) = reader.get(&path).attempt().await.filter(|answer| answer.status() != 503) else { continue };
        let version = stored.header("etag").expect("a version").to_owned();
        let next = stored.ok()["size"].as_i64().expect("a count") + 1;
        let update = writer.put(&path, &json!({ "size": next })).header("if-match", &version);
        match update.attempt().await {
            Some(answer) if [412, 503].contains(&answer.status()) => {}
            Some(answer) => {
                answer.ok();
                acknowledged.push((name, next));
            }
            None => {}
        }
    }
    acknowledged
}

/// Holds the counts against the log: each number was counted once, and none that was acknowledged is missing.
async fn check_counts(client: &Client, acknowledged: Vec<(&str, i64)>) {
    let distinct: BTreeSet<_> = acknowledged.iter().copied().collect();
    assert_eq!(distinct.len(), acknowledged.len(), "a number was counted twice");
    assert!(distinct.len() > 20, "the counters count: {}", distinct.len());
    let log = trail::of_kind(client, "Anonymous").await;
    let told = trail::replay(&log).expect("the log fits itself");
    let stored = client.get("/anonymous/plums").await.ok();
    assert_eq!(told["\"plums\""], Some(stored), "what the killed process had in hand is whole, or is not there");
    for name in COUNTS {
        let updates = log.iter().filter(|entry| entry["entity_id"] == name && entry["action"] == "update");
        let counted: Vec<_> = updates.map(|entry| entry["changes"]["size"].clone()).collect();
        let numbers: Vec<_> = (1..).take(counted.len()).map(Value::from).collect();
        assert_eq!(counted, numbers, "the log of the {name}");
        let stored = client.get(format!("/anonymous/{name}")).await.ok();
        assert_eq!(stored["size"], counted.len(), "the {name}");
        let last = distinct.iter().filter(|(of, _)| *of == name).map(|(_, number)| *number).max();
        assert!(last.is_none_or(|last| stored["size"].as_i64() >= Some(last)), "none is lost: {last:?} of {stored}");
    }
}
