//! Opening databases, shared connections, and cancelled operations.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use crud_runtime::adapter::{Adapter, AdapterError, Administration, Row, RowSink, SqliteAdapter, Update, Work, Write};
use crud_runtime::column::Value;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::query::{ListQuery, Predicate};
use sqlx::Row as _;

use crate::support::{
    Records, changes, column, file, get, id, insert, leak_descriptor, list, memory, resource, text, update, url,
};

fn notes() -> &'static Descriptor {
    leak_descriptor(resource("notes", vec![id(), column::<String>("text").filterable()]))
}

fn note(value: &str) -> Vec<Value> {
    vec![Value::Null, text(value)]
}

async fn pragma(path: &Path, pragma: &'static str) -> String {
    let pool = sqlx::SqlitePool::connect(&format!("sqlite://{}", path.display())).await.unwrap();
    let row = sqlx::query(pragma).fetch_one(&pool).await.unwrap();
    row.get(0)
}

#[tokio::test]
async fn urls_name_files_in_every_form() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().display();
    let notes = notes();
    for (url, file) in [
        (format!("sqlite://{path}/a.db"), "a.db"),
        (format!("sqlite:{path}/b.db"), "b.db"),
        (format!("sqlite://{path}/c.db?mode=rwc&cache=private"), "c.db"),
        (format!("sqlite://{path}/with%20space.db"), "with space.db"),
    ] {
        let adapter = SqliteAdapter::connect(&url).await.unwrap();
        adapter.migrate(&[notes]).await.unwrap();
        insert(&adapter, notes, &note("here")).await.unwrap();
        let file = directory.path().join(file);
        assert!(file.exists(), "{url}");
        assert_eq!(pragma(&file, "PRAGMA journal_mode").await, "wal");
    }
}

#[tokio::test]
async fn unusable_url_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().display();
    for url in [
        "postgres://localhost/shop".to_owned(),
        "shop.db".to_owned(),
        "sqlite:".to_owned(),
        "sqlite://".to_owned(),
        format!("sqlite://{path}/a.db?mode=what"),
        format!("sqlite://{path}/missing.db?mode=rw"),
        format!("sqlite://{path}/no/such/directory/a.db"),
        format!("sqlite://{path}"),
    ] {
        SqliteAdapter::connect(&url).await.expect_err(&url);
    }
    let not_a_database = directory.path().join("no.db");
    std::fs::write(&not_a_database, "this is a text, and a longer one than the header of a database is".repeat(20))
        .unwrap();
    SqliteAdapter::connect(&format!("sqlite://{}", not_a_database.display())).await.unwrap_err();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn memory_database_is_shared_by_an_adapters_connections() {
    let notes = notes();
    for url in ["sqlite::memory:", "sqlite://:memory:", "sqlite://?mode=memory", "sqlite:file%3Ax?mode=memory"] {
        let adapter = Arc::new(SqliteAdapter::connect(url).await.unwrap());
        adapter.migrate(&[notes]).await.unwrap();
        let writers = (0..16).map(|_| {
            let adapter = Arc::clone(&adapter);
            tokio::spawn(async move { insert(&*adapter, notes, &note("x")).await.unwrap() })
        });
        for writer in writers.collect::<Vec<_>>() {
            writer.await.unwrap();
        }
        assert_eq!(adapter.count(notes, &Predicate::All).await.unwrap(), 16, "{url}");
    }
    let other = memory(&[notes]).await;
    assert_eq!(other.count(notes, &Predicate::All).await.unwrap(), 0);
}

/// Polls a future up to `polls` times and drops it; returns whether it was still pending.
async fn poll_and_drop<F: Future>(future: F, polls: usize) -> bool {
    let mut future = pin!(future);
    for _ in 0..polls {
        let mut context = Context::from_waker(Waker::noop());
        if future.as_mut().poll(&mut context).is_ready() {
            return false;
        }
        tokio::task::yield_now().await;
    }
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_change_is_applied_or_not() {
    let directory = tempfile::tempdir().unwrap();
    let notes = notes();
    for in_memory in [false, true] {
        let adapter = if in_memory { memory(&[notes]).await } else { file(&directory, &[notes]).await };
        insert(&adapter, notes, &note("first")).await.unwrap();
        let mut cancelled = 0;
        for polls in (0..300).map(|turn| turn % 30) {
            let record = [note("more")];
            let mut sink = Records::new(notes);
            let insert = Write::atomic(Work::Insert(&record), None);
            cancelled += usize::from(poll_and_drop(adapter.write(notes, insert, &mut sink), polls).await);
            let (one, next) = (Value::Int(1).into(), changes([(1, text(&format!("{polls}")))]));
            let guard = Arc::new(AdmitsAll);
            let change = [Update::new(&one, &next, Some(guard))];
            let mut sink = Records::new(notes);
            let update = Write::atomic(Work::Update(&change), None);
            cancelled += usize::from(poll_and_drop(adapter.write(notes, update, &mut sink), polls).await);
            let mut sink = Records::new(notes);
            cancelled +=
                usize::from(poll_and_drop(adapter.list(notes, &ListQuery::all(notes), &mut sink), polls).await);
        }
        assert!(cancelled > 100, "{cancelled}");
        // Whatever was in flight, nothing is locked or applied in part.
        let last = insert(&adapter, notes, &note("last")).await.unwrap();
        let (_, updated) =
            update(&adapter, notes, &Value::Int(1), &changes([(1, text("end"))]), Some(Arc::new(AdmitsAll)))
                .await
                .unwrap();
        assert_eq!(updated, Some(vec![Value::Int(1), text("end")]));
        let count = adapter.count(notes, &Predicate::All).await.unwrap();
        assert_eq!(last[0], Value::Int(i64::try_from(count).unwrap()));
    }
}

#[derive(Debug)]
struct AdmitsAll;

impl crud_runtime::adapter::Guard for AdmitsAll {
    fn admits(&self, _: &dyn Row) -> Result<bool, AdapterError> {
        Ok(true)
    }
}

/// A slow filter: none of so many hundred patterns matches a record.
fn slow(hundreds: usize) -> Predicate {
    let pattern = |number| Predicate::Like { column: 1, pattern: format!("%b{number}%").into(), ignore_case: true };
    let hundred = |_| Predicate::Or((0..100).map(pattern).collect());
    Predicate::Or((0..hundreds).map(hundred).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_query_stops_and_releases_its_connection() {
    let directory = tempfile::tempdir().unwrap();
    let notes = notes();
    let adapter = Arc::new(file(&directory, &[notes]).await);
    for _ in 0..1_000 {
        insert(&*adapter, notes, &note(&"a".repeat(4_000))).await.unwrap();
    }
    // One that takes far longer, and is not cancelled.
    let running = {
        let adapter = Arc::clone(&adapter);
        tokio::spawn(async move { adapter.count(notes, &slow(50)).await })
    };
    // With it, two queries more than there are connections.
    let filter = slow(30);
    for _ in 0..9 {
        let slow = adapter.count(notes, &filter);
        assert!(tokio::time::timeout(Duration::from_millis(20), slow).await.is_err(), "the query must be slow");
    }
    assert!(get(&*adapter, notes, &Value::Int(1)).await.is_some());
    assert_eq!(adapter.count(notes, &Predicate::All).await.unwrap(), 1_000);
    assert!(!running.is_finished(), "a query waits for those that are cancelled");
    running.abort();
}

struct FailingSink;

impl RowSink for FailingSink {
    fn row(&mut self, _: &dyn Row) -> Result<(), AdapterError> {
        Err(AdapterError::Timeout)
    }
}

#[tokio::test]
async fn failing_sink_ends_the_query_and_releases_its_connection() {
    let directory = tempfile::tempdir().unwrap();
    let notes = notes();
    let adapter = file(&directory, &[notes]).await;
    for value in 0..3_000 {
        insert(&adapter, notes, &note(&value.to_string())).await.unwrap();
    }
    for limit in [None, Some(10)] {
        let mut query = ListQuery::all(notes);
        query.limit = limit;
        for _ in 0..20 {
            let error = adapter.list(notes, &query, &mut FailingSink).await.unwrap_err();
            assert!(matches!(error, AdapterError::Timeout), "{error:?}");
        }
        assert_eq!(list(&adapter, notes, &query).await.unwrap().len() as u64, limit.unwrap_or(3_000));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_continue_during_a_write() {
    let directory = tempfile::tempdir().unwrap();
    let notes = notes();
    let adapter = Arc::new(file(&directory, &[notes]).await);
    insert(&*adapter, notes, &note("x")).await.unwrap();
    let pool = sqlx::SqlitePool::connect(&url(&directory)).await.unwrap();
    let mut lock = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
    sqlx::query("UPDATE notes SET text = 'y'").execute(&mut *lock).await.unwrap();
    let waiting = {
        let adapter = Arc::clone(&adapter);
        tokio::spawn(async move { insert(&*adapter, notes, &note("z")).await })
    };
    for _ in 0..50 {
        assert_eq!(get(&*adapter, notes, &Value::Int(1)).await.unwrap()[1], text("x"));
    }
    assert!(!waiting.is_finished());
    lock.commit().await.unwrap();
    assert_eq!(waiting.await.unwrap().unwrap()[1], text("z"));
    assert_eq!(get(&*adapter, notes, &Value::Int(1)).await.unwrap()[1], text("y"));
}

#[test]
fn adapter_may_outlive_its_runtime() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let notes = notes();
    let adapter = runtime.block_on(memory(&[notes]));
    let record = [note("x")];
    {
        let mut sink = Records::new(notes);
        let mut insert = pin!(adapter.write(notes, Write::atomic(Work::Insert(&record), None), &mut sink));
        let _guard = runtime.enter();
        // Dropped after one poll, usually before its end.
        let _ = insert.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    }
    runtime.block_on(adapter.ping()).unwrap();
    drop(runtime);
    drop(adapter);
}
