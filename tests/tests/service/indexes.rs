//! `check --indexes`: the indexes that slow lists of a log lack, and those that nothing uses.

use std::fs::File;
use std::path::Path;

use crud_tests::{Backend, Database, Server, on_each_sql_backend, wait_until};
use serde_json::json;

const PROGRAM: &str = env!("CARGO_BIN_EXE_shelves");

/// Serves lists, all of which are slow for the service, with its log in a file.
async fn serve(database: &Database, log: &Path, json: &str) {
    let log = File::create(log).expect("a log");
    let variables = [("JSON_LOGS", json)];
    let mut server = Server::start_with_log(PROGRAM, &variables, database, log).await;
    server.post("/shelves", &json!({ "room": "attic" })).await.created();
    let books: Vec<_> = (0..1000)
        .map(|number| json!({ "shelf_id": 1, "isbn": number.to_string(), "price": number % 7, "stock": number, "pages": 1 }))
        .collect();
    for books in books.chunks(100) {
        server.post("/books/batch", &json!({ "items": books })).await.ok();
    }
    for _ in 0..3 {
        server.get("/books?stock=3&sort=-price").await.ok();
    }
    server.signal("TERM").await;
    server.ended().await;
}

async fn check(database: &Database, arguments: &[&str]) -> String {
    let arguments = [&["check", "--indexes"], arguments].concat();
    let (status, printed) = Server::run(PROGRAM, &arguments, database).await;
    assert!(status.success(), "{printed}");
    printed
}

/// The command for a log at its standard input.
async fn check_input(database: &Database, log: &Path) -> String {
    let script = format!("cat '{}' | '{PROGRAM}' check --indexes -", log.display());
    let (status, printed) = Server::run("sh", &["-c", &script], database).await;
    assert!(status.success(), "{printed}");
    printed
}

#[test]
fn slow_lists_of_a_log_have_the_attribute_that_helps_and_unused_indexes_are_named() {
    on_each_sql_backend(async |database| {
        let directory = tempfile::tempdir().expect("a directory");
        let log = directory.path().join("service.log");
        if database.backend() == Backend::MySql {
            database.execute("SET GLOBAL userstat = 0").await;
            let said = check(database, &[]).await;
            assert!(said.contains("`SET GLOBAL userstat = 1` turns that on in MariaDB"), "{said}");
            database.execute("SET GLOBAL userstat = 1").await;
        }
        serve(database, &log, if database.backend() == Backend::Postgres { "true" } else { "false" }).await;

        let path = log.display().to_string();
        let unused = "ix_books__pages";
        wait_until("the database has counted", async || check(database, &[&path]).await.contains(unused)).await;
        let said = check_input(database, &log).await;
        assert_eq!(said, check(database, &[&path]).await);
        let slow = "  Book: stock = ?, sort=-price\n    1 line, at most ";
        assert!(said.starts_with("Slow lists:\n") && said.contains(slow), "{said}");
        assert!(said.contains("plan: sorts every match\n    index(stock, price)\n"), "{said}");
        let paste = "Attributes of the structs that help:\n  Book: #[crud(index(stock, price))]\n";
        assert!(said.contains(paste), "{said}");

        assert!(said.contains("\nUnused indexes, since "), "{said}");
        assert!(said.contains(": for `filter` and `sort` of Book.pages\n    DROP INDEX "), "{said}");
        for kept in ["isbn", "shelf", "ix_books__stock"] {
            let (_, unused) = said.split_once("Unused indexes").expect("the advice");
            assert!(!unused.contains(kept), "{kept}: {said}");
        }
    });
}

#[test]
fn unused_indexes_need_evidence() {
    on_each_sql_backend(async |database| {
        let directory = tempfile::tempdir().expect("a directory");
        let log = directory.path().join("service.log");
        serve(database, &log, "false").await;
        let (status, printed) = Server::run(PROGRAM, &["check", "--indexes", "/no/such/log"], database).await;
        assert!(!status.success() && printed.contains("cannot read the log `/no/such/log`"), "{printed}");
        let text = std::fs::read_to_string(&log).expect("the log");
        let later: Vec<&str> = text.lines().filter(|line| !line.contains("listening on")).collect();
        std::fs::write(&log, later.join("\n")).expect("the log");
        if database.backend() == Backend::Sqlite {
            let said = check(database, &[]).await;
            assert!(said.starts_with("Unused indexes: SQLite does not count"), "{said}");
            let said = check(database, &[&log.display().to_string()]).await;
            assert!(said.contains("Unused indexes: the log has no start of the service"), "{said}");
        }
        let said = check_input(database, Path::new("/dev/null")).await;
        assert!(said.starts_with("Slow lists: none in the log.\n"), "{said}");
    });
}
