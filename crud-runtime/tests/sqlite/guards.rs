//! Guards are checked atomically with the change.

use std::sync::Arc;

use crud_runtime::adapter::{AdapterError, Administration, Guard, Row};
use crud_runtime::column::{Value, ValueRef};
use crud_runtime::descriptor::Descriptor;
use serde_json::json;

use crate::support::{
    Outcome, changes, column, delete, file, get, id, insert, leak_descriptor, memory, resource, text, update,
    updated_at,
};

const COUNT: usize = 1;

fn counters() -> &'static Descriptor {
    leak_descriptor(resource("counters", vec![id(), column::<i64>("count"), updated_at()]))
}

/// Admits a record whose column has this value.
#[derive(Debug)]
struct Has(usize, i64);

impl Guard for Has {
    fn admits(&self, current: &dyn Row) -> Result<bool, AdapterError> {
        Ok(matches!(current.value(self.0)?, ValueRef::Int(value) if value == self.1))
    }
}

#[derive(Debug)]
struct Fails;

impl Guard for Fails {
    fn admits(&self, _: &dyn Row) -> Result<bool, AdapterError> {
        Err(AdapterError::Timeout)
    }
}

#[tokio::test]
async fn guard_admits_or_refuses() {
    let counters = counters();
    let adapter = memory(&[counters]).await;
    let record = insert(&adapter, counters, &[Value::Null, Value::Int(0), Value::Null]).await.unwrap();
    let id = &record[0];
    let next = changes([(COUNT, Value::Int(5))]);
    let refused = update(&adapter, counters, id, &next, Some(Arc::new(Has(COUNT, 9)))).await.unwrap();
    assert_eq!(refused, (Outcome::Refused, None));
    assert_eq!(get(&adapter, counters, id).await, Some(record.clone()));
    let (outcome, changed) = update(&adapter, counters, id, &next, Some(Arc::new(Has(COUNT, 0)))).await.unwrap();
    let expected = changed.expect("the record");
    assert_eq!((outcome, &expected[..2]), (Outcome::Done, &[Value::Int(1), Value::Int(5)][..]));
    assert_ne!(expected[2], record[2], "the time of the update");
    let same = update(&adapter, counters, id, &next, Some(Arc::new(Has(COUNT, 5)))).await.unwrap();
    assert_eq!(same, (Outcome::Done, Some(expected.clone())), "an update without changes");
    assert_eq!(delete(&adapter, counters, id, Some(Arc::new(Has(COUNT, 0)))).await.unwrap(), (Outcome::Refused, None));
    assert_eq!(
        delete(&adapter, counters, id, Some(Arc::new(Has(COUNT, 5)))).await.unwrap(),
        (Outcome::Done, Some(expected))
    );
    let gone = update(&adapter, counters, id, &next, Some(Arc::new(Has(COUNT, 5)))).await.unwrap();
    assert_eq!(gone, (Outcome::Missing, None));
    assert_eq!(delete(&adapter, counters, id, Some(Arc::new(Fails))).await.unwrap(), (Outcome::Missing, None));
}

#[tokio::test]
async fn failed_transaction_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let counters = leak_descriptor(resource(
        "counters",
        vec![id(), column::<i64>("count").unique(crud_runtime::descriptor::Uniqueness::All), column::<i64>("version")],
    ));
    let adapter = file(&directory, &[counters]).await;
    for count in [0, 1] {
        insert(&adapter, counters, &[Value::Null, Value::Int(count), Value::Int(1)]).await.unwrap();
    }
    let id = Value::Int(1);
    // More failures than connections.
    for _ in 0..20 {
        let taken = changes([(COUNT, Value::Int(1))]);
        let error = update(&adapter, counters, &id, &taken, Some(Arc::new(Has(COUNT, 0)))).await.unwrap_err();
        assert!(matches!(&error, AdapterError::Unique { columns } if *columns == [COUNT]), "{error:?}");
        let error = update(&adapter, counters, &id, &taken, Some(Arc::new(Fails))).await.unwrap_err();
        assert!(matches!(error, AdapterError::Timeout), "{error:?}");
        let error = delete(&adapter, counters, &id, Some(Arc::new(Fails))).await.unwrap_err();
        assert!(matches!(error, AdapterError::Timeout), "{error:?}");
    }
    let free = changes([(COUNT, Value::Int(2))]);
    update(&adapter, counters, &id, &free, Some(Arc::new(Has(COUNT, 0)))).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_guarded_updates_lose_none() {
    const WRITERS: i64 = 8;
    const INCREMENTS: i64 = 25;
    let directory = tempfile::tempdir().unwrap();
    let counters = counters();
    // For SQLite, two adapters are like two processes.
    let adapters = [file(&directory, &[counters]).await, file(&directory, &[counters]).await].map(Arc::new);
    insert(&*adapters[0], counters, &[Value::Null, Value::Int(0), Value::Null]).await.unwrap();
    let writers = (0..WRITERS).map(|writer| {
        let adapter = Arc::clone(&adapters[usize::from(writer % 2 == 0)]);
        tokio::spawn(async move {
            let mut done = 0;
            while done < INCREMENTS {
                let record = get(&*adapter, counters, &Value::Int(1)).await.expect("the record");
                let Value::Int(count) = record[COUNT] else { panic!("no count") };
                let next = changes([(COUNT, Value::Int(count + 1))]);
                let guard = Arc::new(Has(COUNT, count));
                let (outcome, _) = update(&*adapter, counters, &Value::Int(1), &next, Some(guard)).await.unwrap();
                done += i64::from(outcome == Outcome::Done);
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let record = get(&*adapters[0], counters, &Value::Int(1)).await.expect("the record");
    assert_eq!(record[COUNT], Value::Int(WRITERS * INCREMENTS));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_inserts_of_one_unique_value_succeed_once() {
    let directory = tempfile::tempdir().unwrap();
    let names = leak_descriptor(resource(
        "names",
        vec![id(), column::<String>("name").unique(crud_runtime::descriptor::Uniqueness::All)],
    ));
    let adapter = Arc::new(file(&directory, &[names]).await);
    let racers = (0..16).map(|_| {
        let adapter = Arc::clone(&adapter);
        tokio::spawn(async move { insert(&*adapter, names, &[Value::Null, text("only")]).await })
    });
    let mut winners = 0;
    for racer in racers.collect::<Vec<_>>() {
        match racer.await.unwrap() {
            Ok(_) => winners += 1,
            Err(AdapterError::Unique { columns }) => assert_eq!(columns, [1]),
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(winners, 1);
}

#[tokio::test]
async fn json_is_compared_by_value() {
    let directory = tempfile::tempdir().unwrap();
    let docs = leak_descriptor(resource(
        "docs",
        vec![id(), column::<serde_json::Value>("body"), column::<Option<Vec<String>>>("tags"), updated_at()],
    ));
    let adapter = file(&directory, &[docs]).await;
    let pool = sqlx::SqlitePool::connect(&crate::support::url(&directory)).await.unwrap();
    let row = r#"INSERT INTO docs (body, tags, updated_at)
        VALUES ('{ "b": [1, 2], "a": "\u00e9" }', '[ "x" ]', '2026-01-31T00:00:00.000000Z')"#;
    sqlx::raw_sql(row).execute(&pool).await.unwrap();
    let id = Value::Int(1);
    let same = changes([(1, Value::Json(json!({"a": "é", "b": [1, 2]}))), (2, Value::TextList(vec!["x".to_owned()]))]);
    let (_, record) = update(&adapter, docs, &id, &same, None).await.unwrap();
    let before = record.expect("the record")[3].clone();
    for other in [json!({"a": "é", "b": [2, 1]}), json!(null)] {
        let (_, record) = update(&adapter, docs, &id, &changes([(1, Value::Json(other.clone()))]), None).await.unwrap();
        let record = record.expect("the record");
        assert_eq!(record[1..3], [Value::Json(other), Value::TextList(vec!["x".to_owned()])]);
        assert_ne!(record[3], before);
    }
    let missing = update(&adapter, docs, &Value::Int(9), &same, None).await.unwrap();
    assert_eq!(missing, (Outcome::Missing, None));
}

#[tokio::test]
async fn corrupt_value_can_be_updated() {
    let directory = tempfile::tempdir().unwrap();
    let docs = leak_descriptor(resource("docs", vec![id(), column::<serde_json::Value>("body")]));
    let pool = sqlx::sqlite::SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
    let there =
        "CREATE TABLE docs (id INTEGER PRIMARY KEY, body TEXT NOT NULL); INSERT INTO docs VALUES (1, 'no JSON');";
    sqlx::raw_sql(there).execute(&pool).await.unwrap();
    drop(directory);
    let adapter = crud_runtime::adapter::SqlitePoolAdapter::new(pool);
    adapter.migrate(&[docs]).await.unwrap();
    let right = changes([(1, Value::Json(json!(1)))]);
    let (outcome, _) = update(&adapter, docs, &Value::Int(1), &right, None).await.unwrap();
    assert_eq!(outcome, Outcome::Done);
}
