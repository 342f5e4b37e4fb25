//! A database file that another program truncates under its readers.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use crud_tests::{Server, on_sqlite};

const PROGRAM: &str = env!("CARGO_BIN_EXE_kitchen");

/// Number of records: more than a reader's cache holds.
const RECORDS: usize = 3_000;

/// The signal of a mapped page that is not there.
const SIGBUS: i32 = 7;

fn fill(file: &Path) {
    let other_program = rusqlite::Connection::open(file).expect("the database");
    let insert = format!(
        "INSERT INTO entries (text) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {RECORDS})
         SELECT hex(randomblob(1000)) FROM n; PRAGMA wal_checkpoint(TRUNCATE)"
    );
    other_program.execute_batch(&insert).expect("records");
}

/// Number of records in a list; `None` where it is refused, or does not end.
async fn listed(server: &Server) -> Option<usize> {
    let answer = server.get("/entries").attempt().await?;
    (answer.status() == 200).then(|| answer.json().as_array().map_or(0, Vec::len))
}

#[test]
fn list_of_a_truncated_file_fails_and_ends_the_process_where_the_file_is_mapped() {
    on_sqlite(async |database| {
        for (mapping, signal) in [("0", None), ("268435456", Some(SIGBUS))] {
            let directory = tempfile::tempdir().expect("a directory");
            let file = directory.path().join("live.db");
            let url = format!("sqlite://{}?mmap_size={mapping}", file.display());
            let mut server = Server::start_with(PROGRAM, &[], &[("DATABASE_URL", &url)], database).await;
            fill(&file);
            for _ in 0..8 {
                assert_eq!(listed(&server).await, Some(RECORDS));
            }
            File::options().write(true).open(&file).and_then(|file| file.set_len(8_192)).expect("a shorter file");
            for _ in 0..8 {
                assert_eq!(listed(&server).await, None, "a list without all records, with {mapping} bytes mapped");
            }
            if let Some(signal) = signal {
                assert_eq!(server.ended().await.signal(), Some(signal));
            } else {
                server.get("/health").await.ok();
            }
        }
    });
}
