//! A process that is killed while it writes leaves whole changes, each with its entry in the audit log.
//!
//! `CRUD_TEST_CRASH_ROUNDS=200 cargo test -p crud-tests --test crash` is the long form.

use std::collections::BTreeMap;
use std::env;
use std::time::Duration;

use crud_tests::story::Story;
use crud_tests::writer::{KINDS, Writer};
use crud_tests::{Client, Database, Server, on_each_sql_backend};
use tokio::task::JoinSet;

/// How often the process is killed, unless `CRUD_TEST_CRASH_ROUNDS` says otherwise.
const ROUNDS: usize = 5;

/// Writers of each kind.
const WRITERS: usize = 2;

/// Lets the writers write until the process is killed, at a moment that nobody knows.
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

async fn survive(database: &Database, rounds: usize) {
    let mut stories: BTreeMap<&str, Story> = BTreeMap::new();
    let mut writers: Vec<_> = (0..WRITERS).flat_map(|number| KINDS.map(|kind| Writer::new(kind, number))).collect();
    for round in 0..=rounds {
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), database).await;
        for kind in KINDS {
            let story = stories.entry(kind.entity).or_default();
            story.read_on(&server, kind).await;
            story.settle(writers.iter_mut().filter(|writer| writer.kind == kind));
        }
        if round < rounds {
            writers = write_until_killed(server, writers).await;
        }
    }
    let sum = |of: fn(&Writer) -> usize| writers.iter().map(of).sum::<usize>();
    assert!(sum(Writer::changes) > rounds * 10, "the writers write: {} changes", sum(Writer::changes));
    assert!(sum(Writer::unanswered) > 0, "some requests are in flight when the process is killed");
    assert_eq!(sum(Writer::unavailable), 0, "the database is there all the time");
}

#[test]
fn every_acknowledged_change_survives_with_its_entry_and_no_half_batch() {
    let rounds = env::var("CRUD_TEST_CRASH_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().expect("a number"));
    on_each_sql_backend(async |database| survive(database, rounds).await);
}
