//! A process that is killed while it writes leaves whole changes, each with its entry in the audit log.
//!
//! `CRUD_TEST_CRASH_ROUNDS=200 cargo test -p crud-tests --test crash` is the long form.

mod writer;

use std::collections::BTreeMap;
use std::env;
use std::time::Duration;

use crud_tests::trail::{self, States};
use crud_tests::{Client, Database, Server, on_each_sql_backend};
use serde_json::Value;
use tokio::task::JoinSet;

use self::writer::{KINDS, Kind, Writer};

/// How often the process is killed, unless `CRUD_TEST_CRASH_ROUNDS` says otherwise.
const ROUNDS: usize = 5;

/// Writers of each kind.
const WRITERS: usize = 2;

/// What the audit log of one kind tells.
#[derive(Debug, Default)]
struct Story {
    entries: usize,
    /// What became of each record.
    states: States,
    /// How often each changed.
    changes: BTreeMap<String, usize>,
}

impl Story {
    /// Reads on, and holds what is stored against it: no change without its entry, no entry without its change.
    async fn read_on(&mut self, client: &Client, kind: &Kind) {
        let entries = trail::of_kind_after(client, kind.entity, self.entries).await;
        trail::follow(&mut self.states, &entries).unwrap_or_else(|fault| panic!("{fault}"));
        for entry in &entries {
            *self.changes.entry(entry["entity_id"].to_string()).or_default() += 1;
        }
        self.entries += entries.len();
        let told: BTreeMap<_, _> =
            self.states.iter().filter_map(|(id, state)| Some((id.clone(), state.clone()?))).collect();
        assert_eq!(stored(client, kind).await, told, "{} as it is stored and as the log tells", kind.entity);
    }
}

/// Every stored record of a kind, by its id.
async fn stored(client: &Client, kind: &Kind) -> BTreeMap<String, Value> {
    let mut records = BTreeMap::new();
    loop {
        let list = client.get(format!("{}?{}limit=100&skip={}", kind.prefix, kind.all(), records.len())).await.ok();
        let read = crud_tests::fixtures::records(&list);
        records.extend(read.iter().map(|record| (record["id"].to_string(), record.clone())));
        if list["total"] == records.len() {
            return records;
        }
        assert!(!read.is_empty(), "the pages have what the total says");
    }
}

/// Lets the writers write until the process is killed, at a moment that nobody knows.
async fn write_until_killed(mut server: Server, writers: Vec<Writer>) -> Vec<Writer> {
    let mut running = JoinSet::new();
    for mut writer in writers {
        let client = Client::clone(&server);
        running.spawn(async move {
            writer.write(&client).await;
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
            let of_kind = writers.iter_mut().filter(|writer| writer.kind == kind);
            let known: usize = of_kind.map(|writer| writer.settle(story)).sum();
            assert_eq!(known, story.states.len(), "every {} is one that a writer knows", kind.entity);
        }
        if round < rounds {
            writers = write_until_killed(server, writers).await;
        }
    }
    let (changes, killed) = writers
        .iter()
        .fold((0, 0), |(changes, killed), writer| (changes + writer.changes(), killed + writer.interrupted()));
    assert!(changes > rounds * 10, "the writers write: {changes} changes");
    assert!(killed > 0, "some requests are in flight when the process is killed");
}

#[test]
fn every_acknowledged_change_survives_with_its_entry_and_no_half_batch() {
    let rounds = env::var("CRUD_TEST_CRASH_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().expect("a number"));
    on_each_sql_backend(async |database| survive(database, rounds).await);
}
