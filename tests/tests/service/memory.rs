//! A list without pages costs the same memory however long it is.

use std::time::Duration;

use crud_tests::{Server, on_each_backend};

/// How much more than at rest the process may take while it streams, in KiB. The whole list is ten times that.
const ALLOWANCE: u64 = 6 * 1024;

#[test]
fn a_long_list_takes_no_memory_to_speak_of() {
    on_each_backend(async |database| {
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), database).await;
        // The service has made the tables; the connections and buffers of a first list are no growth.
        database.fill_entries(1_000).await;
        server.get("/entries").await.ok();
        database.execute("DELETE FROM \"entries\"").await;
        database.fill_entries(300_000).await;
        database.execute(&format!("UPDATE \"entries\" SET \"text\" = \"text\" || '{}'", "x".repeat(200))).await;
        let Some(before) = server.peak_memory() else { return };
        let mut streams = Vec::new();
        for _ in 0..3 {
            streams.push(server.stream("/entries").await);
        }
        let mut read = 0;
        for stream in &mut streams {
            // The others wait meanwhile, with the beginning of their list in hand.
            while let Some(chunk) = stream.chunk().await.expect("the list goes on") {
                read += chunk.len();
            }
        }
        assert!(read > 3 * 60_000_000, "{read} bytes");
        tokio::time::sleep(Duration::from_millis(50)).await;
        let after = server.peak_memory().expect("the process is there");
        assert!(after - before < ALLOWANCE, "grew from {before} to {after} KiB");
    });
}
