//! Backups of SQLite, of a database that is written.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crud_runtime::adapter::SqliteAdapter;
use crud_runtime::prelude::*;
use crud_tests::kitchen::{Parcel, kitchen};
use crud_tests::{Backend, Server, wait_until};
use futures_util::future::join_all;
use serde_json::json;

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
        assert!(adapter.backup(directory.path().join("0.db")).await.is_err(), "a copy is not replaced");
        stop.store(true, Ordering::Relaxed);
    };
    tokio::join!(copies, join_all(writers));
    assert!(acknowledged.load(Ordering::Relaxed) > 20);
    let parts = std::fs::read_dir(directory.path()).expect("the directory").flatten();
    assert!(parts.map(|file| file.file_name()).all(|name| !name.to_string_lossy().ends_with(".part")));
}

/// Number of a copy's entries of creates of parcels.
fn entries(file: &std::path::Path) -> i64 {
    let copy = rusqlite::Connection::open(file).expect("the copy");
    let intact: String = copy.query_row("PRAGMA integrity_check", (), |row| row.get(0)).expect("a check");
    assert_eq!(intact, "ok");
    let count = "SELECT count(*) FROM audit_logs WHERE entity_type = 'Parcel' AND action = 'create'";
    copy.query_row(count, (), |row| row.get(0)).expect("a number")
}
