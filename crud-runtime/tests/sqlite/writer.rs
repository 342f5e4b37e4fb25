//! The writer's thread: group commit, its queue, and what ends a change early.

use std::sync::Arc;
use std::time::Duration;

use crud_runtime::adapter::{
    Adapter, AdapterError, Administration, Guard, Outcome, Row, SqliteAdapter, Target, Update, Work, Write, WriteSink,
};
use crud_runtime::column::Value;
use crud_runtime::descriptor::{Descriptor, Uniqueness};
use crud_runtime::query::{ListQuery, Predicate};
use tokio::task::JoinHandle;

use crate::support::{
    Records, changes, column, file, id, insert, leak_descriptor, list, memory, resource, text, update, url,
    wait_for_waiting,
};

/// More changes than wait for the writer.
const TOO_MANY: usize = 1_025;

fn notes() -> &'static Descriptor {
    leak_descriptor(resource("notes", vec![id(), column::<String>("text").unique(Uniqueness::All).filterable()]))
}

fn note(value: &str) -> Vec<Value> {
    vec![Value::Null, text(value)]
}

fn spawn_insert(
    adapter: &Arc<SqliteAdapter>,
    notes: &'static Descriptor,
    value: &str,
) -> JoinHandle<Result<Vec<Value>, AdapterError>> {
    let (adapter, record) = (adapter.clone(), note(value));
    tokio::spawn(async move { insert(&*adapter, notes, &record).await })
}

async fn count(adapter: &SqliteAdapter, notes: &'static Descriptor) -> u64 {
    adapter.count(notes, &Predicate::All).await.unwrap()
}

#[derive(Debug)]
struct Panics;

impl Guard for Panics {
    fn admits(&self, _: &dyn Row) -> Result<bool, AdapterError> {
        panic!("this guard panics")
    }
}

#[tokio::test]
async fn a_change_that_fails_leaves_the_others_of_its_group() {
    let directory = tempfile::tempdir().unwrap();
    let notes = notes();
    for in_memory in [false, true] {
        let adapter = Arc::new(if in_memory { memory(&[notes]).await } else { file(&directory, &[notes]).await });
        insert(&*adapter, notes, &note("taken")).await.unwrap();
        let transaction = adapter.begin().await.unwrap();
        let waiting: Vec<_> =
            ["a", "b", "taken", "c", "a", "d"].into_iter().map(|value| spawn_insert(&adapter, notes, value)).collect();
        let panics = {
            let adapter = adapter.clone();
            tokio::spawn(async move {
                let (one, next) = (Value::Int(1), changes([(1, text("other"))]));
                update(&*adapter, notes, &one, &next, Some(Arc::new(Panics))).await.map(drop)
            })
        };
        wait_for_waiting(&adapter, 7).await;
        drop(transaction);
        let mut failed = Vec::new();
        for (index, change) in waiting.into_iter().enumerate() {
            match change.await.unwrap() {
                Ok(_) => {}
                Err(AdapterError::Unique { columns }) => failed.push((index, columns)),
                Err(other) => panic!("{other:?}"),
            }
        }
        assert_eq!(failed, [(2, vec![1]), (4, vec![1])]);
        assert!(matches!(panics.await.unwrap(), Err(AdapterError::Other(_))));
        let records = list(&*adapter, notes, &ListQuery::all(notes)).await.unwrap();
        let texts: Vec<&Value> = records.iter().map(|record| &record[1]).collect();
        assert_eq!(texts, [&text("taken"), &text("a"), &text("b"), &text("c"), &text("d")]);
    }
}

#[tokio::test]
async fn a_full_queue_refuses_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let notes = notes();
    let adapter = Arc::new(file(&directory, &[notes]).await);
    let transaction = adapter.begin().await.unwrap();
    let waiting: Vec<_> = (0..TOO_MANY - 1).map(|number| spawn_insert(&adapter, notes, &number.to_string())).collect();
    wait_for_waiting(&adapter, TOO_MANY as u64 - 1).await;
    // While the others wait.
    let error = insert(&*adapter, notes, &note("one too many")).await.unwrap_err();
    assert!(matches!(error, AdapterError::Unavailable(_)), "{error:?}");
    assert!(!waiting.iter().any(JoinHandle::is_finished));
    drop(transaction);
    for change in waiting {
        change.await.unwrap().unwrap();
    }
    assert_eq!(count(&adapter, notes).await, TOO_MANY as u64 - 1);
}

#[tokio::test]
async fn a_change_whose_request_went_away_before_it_began_is_skipped() {
    let directory = tempfile::tempdir().unwrap();
    let notes = notes();
    let adapter = Arc::new(file(&directory, &[notes]).await);
    let transaction = adapter.begin().await.unwrap();
    let gone = spawn_insert(&adapter, notes, "gone");
    let stays = spawn_insert(&adapter, notes, "stays");
    wait_for_waiting(&adapter, 2).await;
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    drop(transaction);
    assert_eq!(stays.await.unwrap().unwrap(), [Value::Int(1), text("stays")]);
    assert_eq!(count(&adapter, notes).await, 1);
}

#[tokio::test]
async fn a_change_beyond_the_time_limit_is_interrupted_and_the_others_of_its_group_are_made() {
    const ENDLESS: &str = "CREATE TRIGGER endless BEFORE INSERT ON notes WHEN NEW.text = 'endless' BEGIN
        SELECT sum(n) FROM (WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT n FROM more);
        END;";
    let directory = tempfile::tempdir().unwrap();
    let notes = notes();
    let adapter = Arc::new(file(&directory, &[notes]).await);
    let other = sqlx::SqlitePool::connect(&url(&directory)).await.unwrap();
    sqlx::raw_sql(ENDLESS).execute(&other).await.unwrap();
    adapter.set_time_limit(Duration::from_millis(100));
    let transaction = adapter.begin().await.unwrap();
    let waiting: Vec<_> = ["a", "endless", "b"].into_iter().map(|value| spawn_insert(&adapter, notes, value)).collect();
    wait_for_waiting(&adapter, 3).await;
    drop(transaction);
    let mut made = Vec::new();
    for change in waiting {
        made.push(change.await.unwrap());
    }
    assert!(matches!(made[1], Err(AdapterError::Timeout)), "{:?}", made[1]);
    assert!(made[0].is_ok() && made[2].is_ok(), "{made:?}");
    assert_eq!(count(&adapter, notes).await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_writer_does_not_wait_for_readers() {
    let directory = tempfile::tempdir().unwrap();
    let notes = notes();
    let adapter = Arc::new(file(&directory, &[notes]).await);
    for number in 0..300 {
        insert(&*adapter, notes, &note(&format!("{number}{}", "a".repeat(4_000)))).await.unwrap();
    }
    let pattern = |number| Predicate::Like { column: 1, pattern: format!("%b{number}%").into(), ignore_case: true };
    let slow = Arc::new(Predicate::Or((0..200).map(pattern).collect()));
    let readers: Vec<_> = (0..16)
        .map(|_| {
            let (adapter, slow) = (adapter.clone(), slow.clone());
            tokio::spawn(async move { adapter.count(notes, &slow).await })
        })
        .collect();
    // Every connection to read is in use.
    while adapter.status().is_some_and(|status| status.busy < status.connections) {
        tokio::task::yield_now().await;
    }
    for number in 0..10 {
        insert(&*adapter, notes, &note(&format!("new {number}"))).await.unwrap();
    }
    assert!(readers.iter().any(|reader| !reader.is_finished()), "the writer waits for the readers");
    readers.iter().for_each(JoinHandle::abort);
}

#[tokio::test]
async fn nothing_is_written_to_what_was_opened_to_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let notes = notes();
    let adapter = file(&directory, &[notes]).await;
    insert(&adapter, notes, &note("here")).await.unwrap();
    let read_only = SqliteAdapter::connect(&format!("{}?mode=ro", url(&directory))).await.unwrap();
    assert_eq!(count(&read_only, notes).await, 1);
    let error = insert(&read_only, notes, &note("more")).await.unwrap_err();
    assert!(matches!(error, AdapterError::Denied { .. }), "{error:?}");
}

/// A sink that a transaction's write needs.
struct Ignore;

impl WriteSink for Ignore {
    fn record(&mut self, _: usize, _: &dyn Row) -> Result<(), AdapterError> {
        Ok(())
    }
}

#[tokio::test]
async fn a_transaction_and_queued_changes_take_turns() {
    let notes = notes();
    for in_memory in [false, true] {
        let directory = tempfile::tempdir().unwrap();
        let adapter = Arc::new(if in_memory { memory(&[notes]).await } else { file(&directory, &[notes]).await });
        let mut transaction = adapter.begin().await.unwrap();
        let record = [note("in it")];
        let made = transaction.write(notes, Write::atomic(Work::Insert(&record), None), &mut Ignore).await.unwrap();
        assert!(matches!(made[..], [Outcome::Done]), "{made:?}");
        let waiting = spawn_insert(&adapter, notes, "after it");
        wait_for_waiting(&adapter, 1).await;
        assert!(!waiting.is_finished());
        let one = Value::Int(1).into();
        let next = changes([(1, text("changed"))]);
        let made = transaction
            .write(notes, Write::atomic(Work::Update(&[Update::new(&one, &next, None)]), None), &mut Ignore)
            .await
            .unwrap();
        assert!(matches!(made[..], [Outcome::Done]), "{made:?}");
        let missing = Value::Int(9).into();
        let made = transaction
            .write(notes, Write::atomic(Work::Delete(&[Target::new(&missing, None)]), None), &mut Ignore)
            .await
            .unwrap();
        assert!(matches!(made[..], [Outcome::Missing]), "{made:?}");
        transaction.commit().await.unwrap();
        assert_eq!(waiting.await.unwrap().unwrap(), [Value::Int(2), text("after it")]);
        let mut records = Records::new(notes);
        adapter.list(notes, &ListQuery::all(notes), &mut records).await.unwrap();
        let texts: Vec<&Value> = records.received.iter().map(|record| &record[1]).collect();
        assert_eq!(texts, [&text("changed"), &text("after it")]);
    }
}
