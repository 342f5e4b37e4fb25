//! Backups of SQLite, of a database that is written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crud_runtime::adapter::SqliteAdapter;
use crud_runtime::prelude::*;
use crud_tests::kitchen::{Entry, Parcel, kitchen};
use crud_tests::{Backend, Server, wait_until};
use futures_util::future::join_all;
use rusqlite::backup::{Backup, StepResult};
use serde_json::json;
use tokio::task::block_in_place;

/// A copy is the database at one moment: what was acknowledged before it began is there, and each record has its entry.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_a_database_in_use_is_whole() {
    if !Backend::available().contains(&Backend::Sqlite) {
        return;
    }
    let database = Backend::Sqlite.fresh();
    let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), &database).await;
    let (acknowledged, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let writers = (0..4).map(|writer| {
        let (server, acknowledged, stop) = (&server, &acknowledged, &stop);
        async move {
            let mut number = 0;
            while !stop.load(Ordering::Relaxed) {
                let body = json!({ "code": format!("{writer} {number}"), "weight": 1 });
                server.post("/parcels", &body).await.created();
                acknowledged.fetch_add(1, Ordering::Relaxed);
                number += 1;
            }
        }
    });
    let directory = tempfile::tempdir().expect("a directory");
    let copies = async {
        let adapter = SqliteAdapter::connect(database.url()).await.expect("the database");
        for round in 0..8 {
            let before = acknowledged.load(Ordering::Relaxed);
            let file = directory.path().join(format!("{round}.db"));
            adapter.backup(&file).await.expect("a copy");
            let after = acknowledged.load(Ordering::Relaxed);
            let restored = Service::connect(&format!("sqlite://{}", file.display())).await.expect("the copy");
            let restored = kitchen(restored).migrate().await.expect("the copy's tables");
            let parcels = restored.store::<Parcel>().count(Select::all()).await.expect("a number");
            // Four changes may have been committed whose answers are on their way.
            assert!(before <= parcels && parcels <= after + 4, "{before} {parcels} {after}");
            drop(restored);
            let entries = entries(&file);
            assert_eq!(i64::try_from(parcels), Ok(entries), "each parcel has its entry, in the copy of round {round}");
            wait_until("more is written", async || acknowledged.load(Ordering::Relaxed) > after).await;
        }
        let refused = format!("{:?}", adapter.backup(directory.path().join("0.db")).await.expect_err("it is there"));
        assert!(refused.contains("0.db: it exists, and a copy replaces no file"), "{refused}");
        stop.store(true, Ordering::Relaxed);
    };
    tokio::join!(copies, join_all(writers));
    assert!(acknowledged.load(Ordering::Relaxed) > 20);
    let parts = std::fs::read_dir(directory.path()).expect("the directory").flatten();
    assert!(parts.map(|file| file.file_name()).all(|name| !name.to_string_lossy().ends_with(".part")));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_copies_to_one_file_one_is_refused_and_the_other_whole() {
    if !Backend::available().contains(&Backend::Sqlite) {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let url = format!("sqlite://{}", directory.path().join("live.db").display());
    let service = kitchen(Service::connect(&url).await.expect("a database")).migrate().await.expect("its tables");
    drop(service);
    let adapter = SqliteAdapter::connect(&url).await.expect("the database");
    for round in 0..8 {
        let file = directory.path().join(format!("{round}.db"));
        let (first, second) = tokio::join!(adapter.backup(&file), adapter.backup(&file));
        assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
        assert_eq!(entries(&file), 0, "the copy is a database");
    }
    let file = directory.path().join("copy.db");
    std::fs::write(directory.path().join("copy.db.part"), "of a copy that was killed").expect("a file");
    let refused = format!("{:?}", adapter.backup(&file).await.expect_err("another copy"));
    assert!(refused.contains("copy.db.part: another copy is being written to it, or one did not end"), "{refused}");
    assert!(!file.exists());
}

/// Programs that use SQLite truncate and rewrite the file only where no reader has mapped pages of a snapshot.
#[tokio::test(flavor = "multi_thread")]
async fn a_mapped_file_is_vacuumed_and_restored_under_readers() {
    if !Backend::available().contains(&Backend::Sqlite) {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let (file, copy) = (directory.path().join("live.db"), directory.path().join("copy.db"));
    let url = format!("sqlite://{}?mmap_size=268435456", file.display());
    let service = kitchen(Service::connect(&url).await.expect("a database")).migrate().await.expect("its tables");
    let mut other_program = rusqlite::Connection::open(&file).expect("the database");
    other_program.busy_timeout(Duration::from_secs(30)).expect("a timeout");
    let insert =
        "INSERT INTO entries (text) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                  SELECT hex(randomblob(500)) FROM n; PRAGMA wal_checkpoint(TRUNCATE)";
    other_program.execute_batch(insert).expect("records");
    let adapter = SqliteAdapter::connect(&url).await.expect("the database");
    adapter.backup(&copy).await.expect("a copy");
    let lists = Arc::new(AtomicU64::new(0));
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (entries, lists) = (service.store::<Entry>(), lists.clone());
            tokio::spawn(async move {
                loop {
                    let number = entries.list(Select::all()).await.expect("a list").len();
                    assert!(number == 3000 || number == 300, "{number} is neither before nor after a change");
                    lists.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let read = async || {
        let before = lists.load(Ordering::Relaxed);
        wait_until("the file is read", async || lists.load(Ordering::Relaxed) > before + 4).await;
    };
    for _ in 0..3 {
        read().await;
        let shrink = "DELETE FROM entries WHERE id % 10 <> 0; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)";
        block_in_place(|| other_program.execute_batch(shrink)).expect("a smaller file");
        read().await;
        let restore = || {
            let copy = rusqlite::Connection::open(&copy)?;
            Backup::new(&copy, &mut other_program)?.step(-1)
        };
        assert_eq!(block_in_place(restore).expect("the copy"), StepResult::Done);
        assert_eq!(service.store::<Entry>().count(Select::all()).await.expect("a number"), 3000);
    }
    for reader in readers {
        assert!(!reader.is_finished(), "it read to the end");
        reader.abort();
    }
}

/// Number of a copy's entries of creates of parcels.
fn entries(file: &std::path::Path) -> i64 {
    let copy = rusqlite::Connection::open(file).expect("the copy");
    let intact: String = copy.query_row("PRAGMA integrity_check", (), |row| row.get(0)).expect("a check");
    assert_eq!(intact, "ok");
    let count = "SELECT count(*) FROM audit_logs WHERE entity_type = 'Parcel' AND action = 'create'";
    copy.query_row(count, (), |row| row.get(0)).expect("a number")
}

/// The file alone is the database, once its service has stopped: nothing is left in the log beside it.
#[tokio::test(flavor = "multi_thread")]
async fn file_of_a_stopped_service_is_whole_without_its_log() {
    if !Backend::available().contains(&Backend::Sqlite) {
        return;
    }
    let database = Backend::Sqlite.fresh();
    let file = database.url().trim_start_matches("sqlite://").to_owned();
    let directory = tempfile::tempdir().expect("a directory");
    for round in 1..=5_i64 {
        let mut server = Server::start(env!("CARGO_BIN_EXE_kitchen"), &database).await;
        server.post("/parcels", &json!({ "code": round.to_string(), "weight": 1 })).await.created();
        server.get("/parcels").await.ok();
        server.signal(if round % 2 == 0 { "INT" } else { "TERM" }).await;
        assert!(server.ended().await.success());
        let log = std::fs::metadata(format!("{file}-wal")).map_or(0, |log| log.len());
        assert_eq!(log, 0, "the log is empty after stop {round}");
        let copy = directory.path().join(format!("{round}.db"));
        std::fs::copy(&file, &copy).expect("a copy of the file alone");
        assert_eq!(entries(&copy), round);
    }
}

/// A process that still reads keeps the log from being written back; the stop says so.
#[tokio::test(flavor = "multi_thread")]
async fn stop_says_that_the_file_is_not_complete_by_itself() {
    if !Backend::available().contains(&Backend::Sqlite) {
        return;
    }
    let database = Backend::Sqlite.fresh();
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("log");
    let file = std::fs::File::create(&log).expect("a file");
    let mut server = Server::start_with_log(env!("CARGO_BIN_EXE_kitchen"), &[], &database, file).await;
    server.post("/parcels", &json!({ "code": "1", "weight": 1 })).await.created();
    let other = rusqlite::Connection::open(database.url().trim_start_matches("sqlite://")).expect("the file");
    other.execute_batch("BEGIN; SELECT * FROM parcels").expect("a snapshot");
    server.post("/parcels", &json!({ "code": "2", "weight": 1 })).await.created();
    server.signal("TERM").await;
    assert!(server.ended().await.success());
    let lines = std::fs::read_to_string(log).expect("the log");
    assert!(lines.contains("the file of the database is not complete by itself: copy the file `-wal`"), "{lines}");
}
