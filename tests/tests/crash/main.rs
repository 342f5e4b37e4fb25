//! A process that is killed while it writes leaves whole changes, each with its entry in the audit log.
//!
//! The long form is `CRUD_TEST_CRASH_ROUNDS=200 cargo test -p crud-tests --test crash`.
//!
//! | Promise | Modules |
//! |---|---|
//! | A process that is killed leaves whole changes, each with its entry | the case below |
//! | A document server that is killed does too | `document_server` |
//! | A create that is retried with its key makes one record | `idempotency` |

mod document_server;
mod idempotency;

use std::collections::BTreeMap;
use std::env;
use std::time::Duration;

use crud_tests::replay::Replay;
use crud_tests::writer::{WRITE_TARGETS, WriteTarget, Writer};
use crud_tests::{Client, Database, Server, on_each_backend_with_url};
use tokio::task::JoinSet;

/// How often the process is killed; `CRUD_TEST_CRASH_ROUNDS` overrides it.
const ROUNDS: usize = 5;

/// Writers of each resource.
const WRITERS: usize = 2;

/// How often to kill.
fn rounds() -> usize {
    env::var("CRUD_TEST_CRASH_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().expect("a number"))
}

/// Writes until the process is killed, at a random moment.
async fn write_until_killed(mut server: Server, writers: Vec<Writer>) -> Vec<Writer> {
    let mut running = JoinSet::new();
    for mut writer in writers {
        let client = Client::clone(&server);
        running.spawn(async move {
            while writer.step(&client).await.is_some() {}
            writer
        });
    }
    tokio::time::sleep(Duration::from_millis(fastrand::u64(20..400))).await;
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
    for round in 0..=rounds {
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), database).await;
        for target in WRITE_TARGETS {
            let replay = replays.entry(target.entity).or_default();
            replay.advance(&server, target).await;
            replay.reconcile(writers.iter_mut().filter(|writer| writer.target == target));
        }
        if round < rounds {
            writers = write_until_killed(server, writers).await;
        }
    }
    let sum = |count: fn(&Writer) -> usize| writers.iter().map(count).sum::<usize>();
    let name = database.backend().name();
    eprintln!("{name}: killed {rounds} times, {} changes acknowledged, none lost", sum(Writer::changes));
    // How much is written depends on the machine; less than this, and most rounds kill an idle process.
    assert!(sum(Writer::changes) > rounds * 2, "the writers write too little: {} changes", sum(Writer::changes));
    assert!(sum(Writer::unanswered) > 0, "no request was in flight when the process was killed");
    assert_eq!(sum(Writer::unavailable), 0, "the database was unavailable");
}

#[test]
fn every_acknowledged_change_survives_with_its_entry_and_no_half_batch() {
    on_each_backend_with_url(async |database| survive(database, rounds()).await);
}
