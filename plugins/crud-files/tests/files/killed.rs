//! Processes that are killed at any step of uploads: nothing that was acknowledged is lost, and nothing is left.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crud_files::Files;
use crud_runtime::prelude::TimeDelta;
use crud_tests::{Database, Server, amount, on_each_sql_backend, pause};
use serde_json::json;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::process::{Film, start};
use crate::shop::objects_in;

/// The number of films.
const FILMS: usize = 8;

/// The hashes that a film may have: the last acknowledged one, and those of uploads without an answer since. An empty one is no file.
type Expected = BTreeMap<usize, BTreeSet<String>>;

fn hash(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[test]
fn killed_process_loses_no_acknowledged_file_and_leaves_nothing() {
    on_each_sql_backend(async |database| {
        let directory = TempDir::new().expect("a directory");
        let server = start(database, directory.path()).await;
        for number in 0..FILMS {
            server.post("/films", &json!({ "name": number.to_string() })).await.created();
        }
        drop(server);
        let mut expected: Expected = (1..=FILMS).map(|film| (film, BTreeSet::from([String::new()]))).collect();
        let rounds = amount("files", 3, 200);
        let mut acknowledged = 0;
        for round in 0..rounds {
            let server = start(database, directory.path()).await;
            check(&server, &mut expected).await;
            acknowledged += write_until_killed(&server, round, &mut expected).await;
        }
        let server = start(database, directory.path()).await;
        check(&server, &mut expected).await;
        drop(server);
        let left = sweep(database, &directory).await;
        let files: usize = expected.values().filter(|hashes| !hashes.contains("")).count();
        println!("{}: {rounds} kills, {acknowledged} acknowledged changes, {files} files", database.backend().name());
        assert_eq!(left, (files, files), "objects and rows that are left");
    });
}

/// Checks that each film has one of its files, whole, and settles on it.
async fn check(server: &Server, expected: &mut Expected) {
    for (film, hashes) in expected {
        let path = format!("{}/films/{film}/copy", server.origin());
        let answer = reqwest::get(&path).await.expect("an answer");
        let found = match answer.status().as_u16() {
            404 => String::new(),
            200 => hash(&answer.bytes().await.expect("the bytes")),
            other => panic!("{path}: {other}"),
        };
        assert!(hashes.contains(&found), "film {film} has {found}, expected one of {hashes:?}");
        *hashes = BTreeSet::from([found]);
    }
}

/// Uploads and removes files from several writers, and kills the process in between; the number of answers.
async fn write_until_killed(server: &Server, round: u64, expected: &mut Expected) -> usize {
    let mut random = fastrand::Rng::with_seed(round);
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let writers = (1..=FILMS).map(|film| {
        let (client, seed) = (client.clone(), random.u64(..));
        let path = format!("{}/films/{film}/copy", server.origin());
        tokio::spawn(async move { write(&client, &path, seed).await })
    });
    let writers: Vec<_> = writers.collect();
    pause("a time of writes", Duration::from_millis(random.u64(5..150))).await;
    server.signal("KILL").await;
    let mut acknowledged = 0;
    for (film, writer) in (1..).zip(writers) {
        let written = writer.await.expect("a writer");
        acknowledged += written.answers;
        let hashes = expected.get_mut(&film).expect("a film");
        if let Some(last) = written.last {
            *hashes = BTreeSet::from([last]);
        }
        hashes.extend(written.unknown);
    }
    acknowledged
}

/// The answers to a writer.
#[derive(Default)]
struct Written {
    answers: usize,
    /// The hash of the last acknowledged change.
    last: Option<String>,
    /// That of the change whose answer did not come.
    unknown: Option<String>,
}

async fn write(client: &reqwest::Client, path: &str, seed: u64) -> Written {
    let (mut random, mut written) = (fastrand::Rng::with_seed(seed), Written::default());
    loop {
        let largest = if random.bool() { 2_000 } else { 900_000 };
        let size = random.usize(0..largest);
        let mut bytes = vec![0; size];
        random.fill(&mut bytes);
        let is_removal = random.u8(..8) == 0;
        let file = if is_removal { String::new() } else { hash(&bytes) };
        let request = if is_removal { client.delete(path) } else { client.put(path).body(bytes) };
        match request.send().await {
            Ok(answer) if matches!(answer.status().as_u16(), 200 | 204) => written.last = Some(file),
            // The film had no file to remove.
            Ok(answer) if answer.status().as_u16() == 404 && is_removal => {}
            Ok(answer) => panic!("{path}: {}", answer.status()),
            Err(_) => {
                written.unknown = Some(file);
                return written;
            }
        }
        written.answers += 1;
    }
}

/// Sweeps when all times are over; the numbers of objects and of rows that are left.
async fn sweep(database: &Database, directory: &TempDir) -> (usize, usize) {
    let files = Files::local(directory.path());
    let service = database.service().await.plugin(files.clone()).expect("one plugin");
    let test = service.resource::<Film>().test().await.expect("the service");
    test.clock().set(test.app().now() + TimeDelta::days(40));
    files.sweep(test.app()).await.expect("a sweep");
    test.clock().set(test.app().now() + TimeDelta::days(40));
    files.sweep(test.app()).await.expect("a second sweep");
    let rows = database.texts("SELECT id FROM files_object").await.len();
    (objects_in(directory.path()).len(), rows)
}
