//! A process that is killed while it runs or reverts a data migration repeats no batch and skips none.

use std::time::Duration;

use crud_runtime::prelude::*;
use crud_tests::{Database, on_each_sql_backend};

use crate::kills::Kills;
use crate::migrations::Killed;
use crate::rounds;

/// The records, of 40 batches.
const RECORDS: i64 = 4_000;

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "people")]
struct Person {
    id: i64,
    visits: i64,
}

/// The different numbers of visits, which are those of all records.
async fn visits(store: &Store<Person>) -> Vec<i64> {
    let mut visits: Vec<i64> =
        store.list(Select::all()).await.expect("people").into_iter().map(|one| one.visits).collect();
    assert_eq!(visits.len(), usize::try_from(RECORDS).expect("a number"));
    visits.sort_unstable();
    visits.dedup();
    visits
}

async fn survive(database: &Database, rounds: usize) {
    let temporary = tempfile::tempdir().expect("a directory");
    let directory = temporary.path().join("migrations");
    let service = database.service().await.resource::<Person>();
    service.write_migration(&directory).await.expect("a migration");
    service.apply_migrations(&directory).await.expect("a table");
    let people = service.store::<Person>();
    for chunk in vec![NewPerson { visits: 0 }; usize::try_from(RECORDS).expect("a number")].chunks(500) {
        people.create_batch(chunk.to_vec()).await.expect("people");
    }
    service.write_data_migration(&directory, "visits").await.expect("a file");

    let program = env!("CARGO_BIN_EXE_visitor");
    let kills = Kills::new(Duration::from_millis(400), rounds);
    let mut killed = Killed { program, database, directory: &directory, kills };
    while killed.kills.begin_round() {
        killed.run("apply", 2).await;
        assert_eq!(visits(&people).await, [1], "a batch was repeated or skipped: {}", killed.kills);
        killed.run("revert", 1).await;
        assert_eq!(visits(&people).await, [0], "a batch was reverted twice, or not: {}", killed.kills);
    }
    eprintln!("{}: {}, each record visited once", database.backend().name(), killed.kills);
}

#[test]
fn data_migration_survives_kills_and_runs_each_batch_once() {
    on_each_sql_backend(async |database| survive(database, rounds()).await);
}
