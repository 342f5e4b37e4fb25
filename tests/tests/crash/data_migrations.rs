//! A process that is killed while it runs or reverts a data migration repeats no batch and skips none, nor do two that go on
//! at once.

use std::time::Duration;

use crud_runtime::prelude::*;
use crud_tests::{Database, Server, on_each_sql_backend};

use crate::kills::Kills;
use crate::migrations::{Killed, applied};
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

/// Kills a command at random moments, until some records have been visited by it and others have not. `done`: the number of
/// migrations that are applied once it has ended, which `back` undoes.
async fn half_done(killed: &mut Killed<'_>, people: &Store<Person>, command: &str, back: &str, done: usize) {
    let path = killed.directory.to_str().expect("a path in UTF-8");
    let service = killed.database.service().await;
    for _ in 0..200 {
        killed.kills.run(killed.program, &[command, path], killed.database).await;
        if visits(people).await.len() == 2 {
            return;
        }
        if applied(&service, killed.directory).await == Some(done) {
            let (status, printed) = Server::run(killed.program, &[back, path], killed.database).await;
            assert!(status.success(), "{back}: {printed}");
        }
    }
    panic!("the program was never killed between two batches: {}", killed.kills);
}

/// Runs a command in two processes at once.
async fn twice(killed: &Killed<'_>, command: &str) {
    let arguments = [command, killed.directory.to_str().expect("a path in UTF-8")];
    let run = async || Server::run(killed.program, &arguments, killed.database).await;
    let (one, other) = tokio::join!(run(), run());
    for (status, printed) in [one, other] {
        assert!(status.success(), "{command} beside another process: {printed}");
    }
}

async fn survive(database: &Database, rounds: usize) {
    let temporary = tempfile::tempdir().expect("a directory");
    let directory = temporary.path().join("migrations");
    let service = database.service().await.resource::<Person>();
    service.migrations().write(&directory).await.expect("a migration");
    service.migrations().apply(&directory).await.expect("a table");
    let people = service.store::<Person>();
    for chunk in vec![NewPerson { visits: 0 }; usize::try_from(RECORDS).expect("a number")].chunks(500) {
        people.create_batch(chunk.to_vec()).await.expect("people");
    }
    service.migrations().write_data(&directory, "visits").await.expect("a file");

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

    for _ in 0..rounds.div_ceil(5) {
        half_done(&mut killed, &people, "apply", "revert", 2).await;
        twice(&killed, "apply").await;
        assert_eq!(visits(&people).await, [1], "two processes repeated or skipped a batch");
        half_done(&mut killed, &people, "revert", "apply", 1).await;
        twice(&killed, "revert").await;
        assert_eq!(visits(&people).await, [0], "two processes reverted a batch twice, or not");
    }
}

#[test]
fn data_migration_survives_kills_and_runs_each_batch_once() {
    on_each_sql_backend(async |database| survive(database, rounds()).await);
}
