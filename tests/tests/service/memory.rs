//! A list without pages costs the same memory however long it is.

use crud_tests::{Database, Server, on_each_sql_backend};

/// How much more the process may take for a list ten times as long, in KiB: far less than the list has.
const ALLOWANCE: u64 = 4 * 1024;

/// So many entries, of some two hundred bytes each.
async fn fill(database: &Database, count: u32) {
    database.execute("DELETE FROM \"entries\"").await;
    database.fill_entries(count).await;
    database.execute(&format!("UPDATE \"entries\" SET \"text\" = \"text\" || '{}'", "x".repeat(200))).await;
}

/// Reads the whole list three times, the second and third waiting with their beginning in hand; gives its bytes.
async fn read_three_times(server: &Server) -> usize {
    let mut read = 0;
    let mut streams = Vec::new();
    for _ in 0..3 {
        streams.push(server.stream("/entries").await);
    }
    for stream in &mut streams {
        while let Some(chunk) = stream.chunk().await.expect("the list goes on") {
            read += chunk.len();
        }
    }
    read
}

#[test]
fn a_list_ten_times_as_long_takes_no_more_memory() {
    on_each_sql_backend(async |database| {
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), database).await;
        // The first list fills the buffers and caches of the process, which have their limits.
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
