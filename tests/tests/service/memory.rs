//! The memory for lists does not grow with their length or with the size of records, that for the past of a record not
//! with its history, that for logins not with their number, and that for bodies is bounded. `CRUD_TEST_RECORDS` is how
//! many records the longer lists have, and four times as many as the longer exports have.

use std::collections::VecDeque;
use std::env;
use std::thread::available_parallelism;

use crud_tests::fixtures::id;
use crud_tests::{Database, RawConnection, Server, amount, on_each_sql_backend};
use futures_util::StreamExt as _;
use futures_util::stream::iter;
use reqwest::Method;
use serde_json::{Value, json};

/// Memory that the process may use in addition for a list ten times as long, in KiB: page caches of `SQLite`, and pieces that
/// the allocator keeps, which grew by 5.5 MiB for lists of a million records and by 9.6 MiB for four million. It is far less
/// than the list's size.
fn allowance() -> u64 {
    amount("limits", 8, 16) * 1024
}

/// Replaces the entries by `count` ones of about two hundred bytes.
async fn fill(database: &Database, count: u32) {
    database.execute("DELETE FROM \"entries\"").await;
    database.fill_entries(count).await;
    database.execute(&format!("UPDATE \"entries\" SET \"text\" = CONCAT(\"text\", '{}')", "x".repeat(200))).await;
}

/// The records of the longer lists and exports.
fn records() -> u32 {
    env::var("CRUD_TEST_RECORDS").map_or(50_000, |number| number.parse().expect("CRUD_TEST_RECORDS is a number"))
}

/// The chunks that are read of a response while the others wait: few enough for the service not to give these up.
const TURN: usize = 250;

/// Reads the whole list three times, in turns. Returns the bytes read.
async fn read_three_times(server: &Server, target: &str) -> usize {
    let mut read = 0;
    let mut streams = VecDeque::new();
    for _ in 0..3 {
        streams.push_back(server.stream(target).await);
    }
    'streams: while let Some(mut stream) = streams.pop_front() {
        for _ in 0..TURN {
            let Some(chunk) = stream.chunk().await.expect("a chunk of the list") else { continue 'streams };
            read += chunk.len();
        }
        streams.push_back(stream);
    }
    read
}

#[test]
fn memory_does_not_grow_with_the_length_of_a_list() {
    on_each_sql_backend(async |database| {
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), database).await;
        // The first list fills the process's bounded buffers and caches, but for the page caches of `SQLite`.
        fill(database, records() / 10).await;
        let short = read_three_times(&server, "/entries").await;
        let Some(before) = server.peak_memory() else { return };
        fill(database, records()).await;
        let long = read_three_times(&server, "/entries").await;
        assert!(long > 9 * short && long > 3 * 200 * records() as usize, "{short} and {long} bytes");
        let after = server.peak_memory().expect("the process is there");
        println!("lists of {} records: {before} to {after} KiB", records());
        assert!(after < before + allowance(), "grew from {before} to {after} KiB");
    });
}

#[test]
fn memory_does_not_grow_with_the_length_of_an_export() {
    on_each_sql_backend(async |database| {
        let records = records() / 4;
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), database).await;
        let copy = "INSERT INTO \"sparses\" (\"text\") SELECT \"text\" FROM \"entries\"";
        for format in ["ndjson", "csv"] {
            let target = format!("/sparse/export?format={format}");
            database.execute("DELETE FROM \"sparses\"").await;
            fill(database, records / 10).await;
            database.execute(copy).await;
            let short = read_three_times(&server, &target).await;
            let Some(before) = server.peak_memory() else { return };
            fill(database, records * 9 / 10).await;
            database.execute(copy).await;
            let long = read_three_times(&server, &target).await;
            assert!(long > 9 * short && long > 3 * 200 * records as usize, "{short} and {long} bytes");
            let after = server.peak_memory().expect("the process is there");
            println!("exports of {records} records as {format}: {before} to {after} KiB");
            assert!(after < before + allowance(), "{format}: grew from {before} to {after} KiB");
        }
    });
}

/// Resident memory that logins may leave, in KiB: 19 MiB for each processor's password hash, and 32 MiB for
/// connections.
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
        let answers =
            iter(0..amount("limits", 60, 160)).map(|_| async { server.post("/auth/login", &body).await.status() });
        let statuses: Vec<u16> = answers.buffer_unordered(60).collect().await;
        assert!(statuses.iter().all(|status| *status == 401), "{statuses:?}");
        let after = server.resident_memory().expect("the process is there");
        assert!(after < before + login_allowance(), "grew from {before} to {after} KiB");
    });
}

/// A JSON value of this many bytes.
fn large(number: usize, bytes: usize) -> Value {
    json!(format!("{number:08}").repeat(bytes / 8))
}

/// Memory that the responses of ten clients that do not read may take, in KiB: of an entry of 3.8 MB, two each.
const RESPONSES: u64 = 192 * 1024;

#[test]
fn large_pages_that_are_not_read_take_bounded_memory() {
    on_each_sql_backend(async |database| {
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), database).await;
        let ledger = server.post("/ledgers", &json!({ "name": "x", "extra": large(0, 1_900_000) })).await.created();
        let path = format!("/ledgers/{}", id(&ledger));
        for number in 1..amount("limits", 16, 40) {
            server.post("/ledgers", &json!({ "name": "x", "extra": large(number, 1_900_000) })).await.created();
            server.patch(&path, &json!({ "extra": large(number, 1_900_000) })).await.ok();
        }
        let Some(before) = server.resident_memory() else { return };
        for target in ["/ledgers?limit=100".to_owned(), format!("{path}/history?limit=100")] {
            let mut unread = Vec::new();
            for _ in 0..10 {
                let mut connection = RawConnection::connect(server.address()).await;
                connection.send(format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n")).await;
                connection.read_byte().await.expect("the response begins");
                unread.push(connection);
            }
            server.idle().await;
            let peak = server.peak_memory().expect("the process is there");
            println!("{target}: {before}, then at most {peak} KiB");
            assert!(peak < before + RESPONSES, "{target}: grew from {before} to {peak} KiB");
        }
    });
}

#[test]
fn past_of_a_record_takes_the_memory_of_one_entry() {
    on_each_sql_backend(async |database| {
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), database).await;
        let ledger = server.post("/ledgers", &json!({ "name": "x", "extra": "first" })).await.created();
        let path = format!("/ledgers/{}", id(&ledger));
        for number in 0..amount("limits", 20, 60) {
            server.patch(&path, &json!({ "extra": large(number, 1_000_000) })).await.ok();
        }
        let Some(before) = server.peak_memory() else { return };
        let time = ledger["created_at"].as_str().expect("a time");
        let then = server.get(format!("{path}?as_of={time}")).await.ok();
        assert_eq!(then["extra"], "first");
        let after = server.peak_memory().expect("the process is there");
        println!("as_of: {before} to {after} KiB");
        assert!(after < before + 32 * 1024, "grew from {before} to {after} KiB");
    });
}

/// Largest memory of the bodies and responses that requests hold together, in KiB.
const BODIES: u64 = 512 * 1024;

#[test]
fn batches_beyond_the_memory_of_requests_are_refused() {
    on_each_sql_backend(async |database| {
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), database).await;
        let Some(before) = server.resident_memory() else { return };
        let items: Vec<Value> =
            (0..16).map(|number| json!({ "name": "x", "extra": large(number, 1_000_000) })).collect();
        let body = json!({ "items": items }).to_string().into_bytes();
        let count = amount("limits", 12, 24);
        let batches = iter(0..count).map(|_| async { server.post_bytes("/ledgers/batch", body.clone()).await });
        let answers: Vec<_> = batches.buffer_unordered(count).collect().await;
        for answer in &answers {
            match answer.status() {
                503 => assert_eq!(answer.require("retry-after"), "1"),
                status => assert_eq!(status, 200),
            }
        }
        let [peak, after] = [server.peak_memory(), server.resident_memory()].map(Option::unwrap);
        let made = answers.iter().filter(|answer| answer.status() == 200).count();
        println!("{made} batches of {count}: {before} KiB, peak {peak}, then {after}");
        assert!(made > 0 && made < count, "{made} of {count} are made");
        assert!(peak < before + BODIES, "grew from {before} to {peak} KiB");
    });
}

/// Memory that all requests may hold together, in KiB, unless a program sets another.
const REQUEST_MEMORY: u64 = 64 * 1024;

#[test]
fn imports_that_are_not_finished_take_the_memory_of_requests() {
    // A record takes far more memory than its text: a value for each of its fields. A line without an end is none yet.
    let (records, line) = (|count: usize| "{}\n".repeat(count), format!("{{\"text\":\"{}", "x".repeat(1_900_000)));
    // The buffer of such a line is there twice while it grows, and the allocator keeps what is too small for the next.
    for (file, clients, most) in [
        (records(8_000), 40, REQUEST_MEMORY * 3 / 2),
        // More than all or none of a file may have.
        (records(99_000), 40, REQUEST_MEMORY * 3 / 2),
        (line, 100, REQUEST_MEMORY * 2),
    ] {
        on_each_sql_backend(async |database| {
            let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), database).await;
            let Some(before) = server.resident_memory() else { return };
            let mut withheld = Vec::new();
            for _ in 0..clients {
                let mut connection = RawConnection::connect(server.address()).await;
                let length = file.len() + 1;
                let head = "POST /sparse/import HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n";
                connection.send(format!("{head}Content-Length: {length}\r\n\r\n")).await;
                // One that is refused may be closed meanwhile.
                drop(connection.try_send(&file).await);
                withheld.push(connection);
            }
            server.idle().await;
            let peak = server.peak_memory().expect("the process is there");
            println!("{clients} imports: {before}, then at most {peak} KiB");
            assert!(peak < before + most, "grew from {before} to {peak} KiB");
            let mut statuses = Vec::new();
            for mut connection in withheld {
                drop(connection.try_send("\n").await);
                statuses.extend(connection.answer().await.map(|answer| answer.status));
            }
            println!("{statuses:?}");
            assert!(statuses.iter().all(|status| matches!(status, 200 | 400 | 422 | 503)), "{statuses:?}");
            // Each may have been refused for the next one. Nothing is held afterwards.
            server.idle().await;
            let import = server.request(Method::POST, "/sparse/import");
            let read = import.body("application/x-ndjson", format!("{file}\n")).await;
            assert!(matches!(read.status(), 200 | 400 | 422), "{read:?}");
            assert!(statuses.contains(&503) && !statuses.contains(&500), "{statuses:?}");
        });
    }
}
