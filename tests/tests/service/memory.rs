//! The memory for an unpaginated list does not grow with its length, and that for logins not with their number.

use std::thread::available_parallelism;

use crud_tests::{Database, Server, on_each_sql_backend};
use futures_util::StreamExt as _;
use futures_util::stream::iter;
use serde_json::json;

/// How much more memory the process may use for a list ten times as long, in KiB: a page cache of `SQLite`, 2 MiB, for
/// each of the three streams, and far less than the list's size.
const ALLOWANCE: u64 = 8 * 1024;

/// Replaces the entries by `count` ones of about two hundred bytes.
async fn fill(database: &Database, count: u32) {
    database.execute("DELETE FROM \"entries\"").await;
    database.fill_entries(count).await;
    database.execute(&format!("UPDATE \"entries\" SET \"text\" = \"text\" || '{}'", "x".repeat(200))).await;
}

/// Reads the whole list three times; the second and third response wait after their beginning. Returns the bytes read.
async fn read_three_times(server: &Server) -> usize {
    let mut read = 0;
    let mut streams = Vec::new();
    for _ in 0..3 {
        streams.push(server.stream("/entries").await);
    }
    for stream in &mut streams {
        while let Some(chunk) = stream.chunk().await.expect("a chunk of the list") {
            read += chunk.len();
        }
    }
    read
}

#[test]
fn memory_does_not_grow_with_the_length_of_a_list() {
    on_each_sql_backend(async |database| {
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), database).await;
        // The first list fills the process's bounded buffers and caches, but for the page caches of `SQLite`.
        fill(database, 10_000).await;
        let short = read_three_times(&server).await;
        let Some(before) = server.peak_memory() else { return };
        fill(database, 100_000).await;
        let long = read_three_times(&server).await;
        assert!(long > 9 * short && long > 3 * 20_000_000, "{short} and {long} bytes");
        let after = server.peak_memory().expect("the process is there");
        assert!(after - before < ALLOWANCE, "grew from {before} to {after} KiB");
    });
}

/// What logins may leave resident, in KiB: 19 MiB for each processor's password hash, and 32 MiB for connections.
fn login_allowance() -> u64 {
    let processors = available_parallelism().map_or(1, usize::from) as u64;
    (19 * processors + 32) * 1024
}

#[test]
fn failed_logins_leave_the_memory_of_one_hash_a_processor() {
    on_each_sql_backend(async |database| {
        let secret = ("JWT_SECRET_KEY", "the secret of the tests, which is public");
        let server = Server::start_with(env!("CARGO_BIN_EXE_kitchen"), &[], &[secret], database).await;
        let Some(before) = server.resident_memory() else { return };
        let body = json!({ "username": "ada", "password": "wrong password" });
        let answers = iter(0..160).map(|_| async { server.post("/auth/login", &body).await.status() });
        let statuses: Vec<u16> = answers.buffer_unordered(60).collect().await;
        assert!(statuses.iter().all(|status| *status == 401), "{statuses:?}");
        let after = server.resident_memory().expect("the process is there");
        assert!(after < before + login_allowance(), "grew from {before} to {after} KiB");
    });
}
