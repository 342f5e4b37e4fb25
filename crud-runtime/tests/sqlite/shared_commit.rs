//! Short transactions that share a commit.

use std::sync::Arc;

use crud_runtime::adapter::{
    Adapter, AdapterError, Administration, Outcome, RawStatement, Row, SqliteAdapter, Transaction, Work, Write,
    WriteSink,
};
use crud_runtime::column::Value;
use crud_runtime::descriptor::{Descriptor, Uniqueness};
use crud_runtime::query::{ListQuery, Predicate};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::support::{column, file, id, insert, leak_descriptor, list, memory, resource, text, url};

fn notes() -> &'static Descriptor {
    leak_descriptor(resource("notes", vec![id(), column::<String>("text").unique(Uniqueness::All)]))
}

/// Passes no records on.
struct Ignore;

impl WriteSink for Ignore {
    fn record(&mut self, _: usize, _: &dyn Row) -> Result<(), AdapterError> {
        Ok(())
    }
}

async fn insert_in(
    transaction: &mut dyn Transaction,
    notes: &'static Descriptor,
    value: &str,
) -> Result<Outcome, AdapterError> {
    let record = [vec![Value::Null, text(value)]];
    let made = transaction.write(notes, Write::atomic(Work::Insert(&record), None), &mut Ignore).await?;
    Ok(made.into_iter().next().unwrap())
}

/// End of a transaction.
#[derive(Clone, Copy)]
enum End {
    Commit,
    RollBack,
    Drop,
}

type Ended = JoinHandle<Result<(), (bool, AdapterError)>>;

/// A short transaction in a task of itself, which inserts a note and ends in this way when the sender sends.
fn spawn(
    adapter: &Arc<SqliteAdapter>,
    notes: &'static Descriptor,
    value: &str,
    end: End,
) -> (oneshot::Sender<()>, Ended) {
    let (adapter, value, (sender, receiver)) = (adapter.clone(), value.to_owned(), oneshot::channel());
    let task = tokio::spawn(async move {
        let mut transaction = adapter.begin_short().await.map_err(|error| (false, error))?;
        let inserted = insert_in(&mut *transaction, notes, &value).await;
        receiver.await.unwrap();
        let ended = match (inserted, end) {
            (Err(error), _) => Err(error),
            (Ok(_), End::Commit) => transaction.commit().await,
            (Ok(_), End::RollBack) => transaction.rollback().await,
            (Ok(_), End::Drop) => Ok(()),
        };
        ended.map_err(|error| (transaction.is_conflict(&error), error))
    });
    (sender, task)
}

/// Lets the task that was spawned come to wait: on one thread, it runs before this one goes on.
async fn settle() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

async fn texts(adapter: &SqliteAdapter, notes: &'static Descriptor) -> Vec<Value> {
    let records = list(adapter, notes, &ListQuery::all(notes)).await.unwrap();
    records.into_iter().map(|mut record| record.remove(1)).collect()
}

#[tokio::test]
async fn transactions_that_wait_share_a_commit_and_none_ends_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let notes = notes();
    let adapter = Arc::new(file(&directory, &[notes]).await);
    let hold = adapter.begin().await.unwrap();
    let (mut senders, mut tasks) = (Vec::new(), Vec::new());
    for (value, end) in [("a", End::Commit), ("b", End::RollBack), ("c", End::Drop), ("d", End::Commit)] {
        let (sender, task) = spawn(&adapter, notes, value, end);
        senders.push(sender);
        tasks.push(task);
        settle().await;
    }
    let alone = {
        let adapter = adapter.clone();
        tokio::spawn(async move { insert(&*adapter, notes, &[Value::Null, text("alone")]).await })
    };
    settle().await;
    drop(hold);
    let last = senders.pop().unwrap();
    for sender in senders {
        sender.send(()).unwrap();
    }
    // The one that goes away is the third: the others before it have ended their savepoints.
    tasks.remove(2).await.unwrap().unwrap();
    assert!(!tasks.iter().any(JoinHandle::is_finished));
    assert_eq!(adapter.count(notes, &Predicate::All).await.unwrap(), 0, "nothing is committed yet");
    last.send(()).unwrap();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(texts(&adapter, notes).await[..2], [text("a"), text("d")]);
    alone.await.unwrap().unwrap();
    assert_eq!(texts(&adapter, notes).await, [text("a"), text("d"), text("alone")]);
    let status = adapter.status().unwrap();
    let commits = status.groups.iter().filter(|group| group.commits > 0).map(|group| (group.most, group.commits));
    assert_eq!(commits.collect::<Vec<_>>(), [(1, 1), (4, 1)], "one commit of three, and one alone");
    assert_eq!(status.grouped_changes, 4);
}

#[tokio::test]
async fn a_transaction_that_sqlite_rolls_back_takes_the_others_back_as_conflicts() {
    let directory = tempfile::tempdir().unwrap();
    let notes = notes();
    let adapter = Arc::new(file(&directory, &[notes]).await);
    let other = sqlx::SqlitePool::connect(&url(&directory)).await.unwrap();
    let trigger = "CREATE TRIGGER rolls_back BEFORE INSERT ON notes WHEN NEW.text = 'rolls back'
        BEGIN SELECT RAISE(ROLLBACK, 'everything'); END;";
    sqlx::raw_sql(trigger).execute(&other).await.unwrap();
    let hold = adapter.begin().await.unwrap();
    let (mut senders, mut tasks) = (Vec::new(), Vec::new());
    for value in ["a", "rolls back", "b"] {
        let (sender, task) = spawn(&adapter, notes, value, End::Commit);
        senders.push(sender);
        tasks.push(task);
        settle().await;
    }
    drop(hold);
    for sender in senders {
        sender.send(()).unwrap();
    }
    let mut ended = Vec::new();
    for task in tasks {
        ended.push(task.await.unwrap());
    }
    assert!(matches!(ended[0], Err((true, AdapterError::Unavailable(_)))), "{:?}", ended[0]);
    assert!(ended[1].is_err(), "{:?}", ended[1]);
    assert!(ended[2].is_ok(), "{:?}", ended[2]);
    assert_eq!(texts(&adapter, notes).await, [text("b")]);
}

#[tokio::test]
async fn a_request_that_leaves_its_statement_undoes_no_transaction_that_waits_for_the_commit() {
    // SQLite rolls a whole transaction back when it interrupts one of its changes.
    const LONG: &str = "INSERT INTO notes (text) WITH RECURSIVE numbers(number) AS \
                        (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 3000000) \
                        SELECT max(number) FROM numbers";
    let directory = tempfile::tempdir().unwrap();
    let notes = notes();
    let adapter = Arc::new(file(&directory, &[notes]).await);
    let hold = adapter.begin().await.unwrap();
    let (sender, stays) = spawn(&adapter, notes, "stays", End::Commit);
    settle().await;
    let leaves = {
        let adapter = adapter.clone();
        tokio::spawn(async move {
            let mut transaction = adapter.begin_short().await.unwrap();
            transaction.execute(RawStatement::new(LONG)).await
        })
    };
    settle().await;
    drop(hold);
    sender.send(()).unwrap();
    settle().await;
    assert!(!stays.is_finished() && !leaves.is_finished(), "the statement runs");
    leaves.abort();
    stays.await.unwrap().unwrap();
    assert_eq!(texts(&adapter, notes).await, [text("stays")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn transactions_and_changes_of_many_tasks_are_all_there() {
    for in_memory in [false, true] {
        let directory = tempfile::tempdir().unwrap();
        let notes = notes();
        let adapter = Arc::new(if in_memory { memory(&[notes]).await } else { file(&directory, &[notes]).await });
        let mut tasks = Vec::new();
        for task in 0..16 {
            let adapter = adapter.clone();
            tasks.push(tokio::spawn(async move {
                for number in 0..20 {
                    let value = format!("{task}/{number}");
                    if number % 5 == 0 {
                        insert(&*adapter, notes, &[Value::Null, text(&value)]).await.unwrap();
                        continue;
                    }
                    let mut transaction = adapter.begin_short().await.unwrap();
                    let made = insert_in(&mut *transaction, notes, &value).await.unwrap();
                    assert!(matches!(made, Outcome::Done), "{made:?}");
                    match number % 5 {
                        1 => transaction.rollback().await.unwrap(),
                        2 => drop(transaction),
                        _ => {
                            transaction.commit().await.unwrap();
                            // An end that is acknowledged can be read.
                            let query = ListQuery::all(notes);
                            let found = list(&*adapter, notes, &query).await.unwrap();
                            assert!(found.iter().any(|record| record[1] == text(&value)), "{value}");
                        }
                    }
                }
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(adapter.count(notes, &Predicate::All).await.unwrap(), 16 * 12);
    }
}
