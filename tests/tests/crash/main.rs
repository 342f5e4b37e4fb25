//! A process that is killed while it writes leaves whole changes, each with its entry in the audit log.
//!
//! The long form is `CRUD_TEST_CRASH_ROUNDS=200 cargo test -p crud-tests --test crash`.
//!
//! | Promise | Modules |
//! |---|---|
//! | A process that is killed leaves whole changes, each with its entry | the case below |
//! | A document server that is killed does too | `document_server` |
//! | A create that is retried with its key makes one record | `idempotency` |
//! | A migration is applied and reverted whole, and once | `migrations` |
//! | A data migration runs each batch once | `data_migrations` |
//! | A move to another database has moved every record or none | `moves` |
//! | Kills come while the program runs, and at each of its steps | `kills`, `steps` |

mod data_migrations;
mod document_server;
mod idempotency;
mod kills;
mod migrations;
mod moves;
mod steps;

use std::collections::BTreeMap;
use std::env;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crud_tests::replay::Replay;
use crud_tests::writer::{WRITE_TARGETS, WriteTarget, Writer};
use crud_tests::{Client, Database, Server, on_each_backend_with_url, wait_until};
use tokio::task::JoinSet;

/// Number of kills of the process; [`ROUNDS_VARIABLE`] overrides it.
const ROUNDS: usize = 5;

/// Environment variable: how often the process is killed. Tests of minutes run where it is set alone.
const ROUNDS_VARIABLE: &str = "CRUD_TEST_CRASH_ROUNDS";

/// Writers of each resource.
const WRITERS: usize = 2;

/// Number of kills.
fn rounds() -> usize {
    env::var(ROUNDS_VARIABLE).map_or(ROUNDS, |rounds| rounds.parse().expect("a number"))
}

/// Begins to write, each writer until a request of its is not acknowledged. Counts the requests that are.
fn begin_to_write(client: &Client, writers: Vec<Writer>, acknowledged: &Arc<AtomicUsize>) -> JoinSet<Writer> {
    let mut running = JoinSet::new();
    for mut writer in writers {
        let (client, acknowledged) = (client.clone(), acknowledged.clone());
        running.spawn(async move {
            while writer.step(&client).await.is_some() {
                acknowledged.fetch_add(1, Ordering::Relaxed);
            }
            writer
        });
    }
    running
}

/// Waits for a random moment, at which this many requests at most are acknowledged: more of them on a faster machine
/// would not be other moments.
async fn random_moment(acknowledged: &AtomicUsize, most: usize) {
    let enough = fastrand::usize(1..=most);
    wait_until("requests are acknowledged", async || acknowledged.load(Ordering::Relaxed) >= enough).await;
}

/// Writes until the process is killed, at the latest after this many requests.
async fn write_until_killed(mut server: Server, writers: Vec<Writer>, most: usize) -> Vec<Writer> {
    let acknowledged = Arc::default();
    let running = begin_to_write(&server, writers, &acknowledged);
    random_moment(&acknowledged, most).await;
    server.signal("KILL").await;
    server.ended().await;
    running.join_all().await
}

/// A writer of this number for a resource in a database.
fn writer(database: &Database, target: &'static WriteTarget, number: usize) -> Writer {
    let writer = Writer::new(target, number);
    if database.backend().has_transactions() { writer } else { writer.without_transactions() }
}

async fn survive(database: &Database, rounds: usize) {
    let mut replays: BTreeMap<&str, Replay> = BTreeMap::new();
    let mut writers: Vec<_> =
        (0..WRITERS).flat_map(|number| WRITE_TARGETS.map(|target| writer(database, target, number))).collect();
    // A change of several documents takes several times as long without transactions.
    let most = if database.backend().has_transactions() { 100 } else { 30 };
    for round in 0..=rounds {
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), database).await;
        for target in WRITE_TARGETS {
            let replay = replays.entry(target.entity).or_default();
            replay.advance(&server, target).await;
            replay.reconcile(writers.iter_mut().filter(|writer| writer.target == target));
        }
        if round < rounds {
            writers = write_until_killed(server, writers, most).await;
        }
    }
    let sum = |count: fn(&Writer) -> usize| writers.iter().map(count).sum::<usize>();
    let name = database.backend().name();
    eprintln!("{name}: killed {rounds} times, {} changes acknowledged, none lost", sum(Writer::changes));
    // The number of writes depends on the machine; with fewer than these, most rounds kill an idle process.
    assert!(sum(Writer::changes) > rounds * 2, "the writers write too little: {} changes", sum(Writer::changes));
    assert!(sum(Writer::unanswered) > 0, "no request was in flight when the process was killed");
    assert_eq!(sum(Writer::unavailable), 0, "the database was unavailable");
}

#[test]
fn every_acknowledged_change_survives_with_its_entry_and_no_half_batch() {
    on_each_backend_with_url(async |database| survive(database, rounds()).await);
}
