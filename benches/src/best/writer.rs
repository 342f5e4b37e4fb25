//! The one writer: a thread that commits the changes that wait in one transaction, synced to disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::change::{Change, Done};
use crate::twin::error::ApiError;

/// Maximum number of changes that wait.
const QUEUE: usize = 1024;

/// Maximum number of changes in one transaction.
const GROUP: usize = 256;

type Answer = Result<Done, ApiError>;

#[derive(Debug)]
pub(super) struct Writer {
    queue: SyncSender<(Change, oneshot::Sender<Answer>)>,
    total: Arc<AtomicI64>,
}

impl Writer {
    pub(super) fn start(path: &str) -> anyhow::Result<Self> {
        let connection = Connection::open(path)?;
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")?;
        connection.set_prepared_statement_cache_capacity(32);
        let count = connection.query_row("SELECT count(*) FROM products", (), |row| row.get(0))?;
        let total = Arc::new(AtomicI64::new(count));
        let (queue, changes) = sync_channel(QUEUE);
        let counted = total.clone();
        thread::spawn(move || run(&connection, &changes, &counted));
        Ok(Self { queue, total })
    }

    /// The number of products.
    pub(super) fn total(&self) -> Arc<AtomicI64> {
        self.total.clone()
    }

    /// Makes a change; returns after its commit.
    pub(super) async fn write(&self, change: Change) -> Answer {
        let (sender, answer) = oneshot::channel();
        match self.queue.try_send((change, sender)) {
            Ok(()) => answer.await.unwrap_or(Err(ApiError::Busy)),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(ApiError::Busy),
        }
    }
}

fn run(connection: &Connection, changes: &Receiver<(Change, oneshot::Sender<Answer>)>, total: &AtomicI64) {
    let mut group = Vec::with_capacity(GROUP);
    let mut answers = Vec::with_capacity(GROUP);
    while let Ok(first) = changes.recv() {
        group.push(first);
        while group.len() < GROUP
            && let Ok(next) = changes.try_recv()
        {
            group.push(next);
        }
        let committed = commit(connection, &group, &mut answers);
        for ((_, sender), answer) in group.drain(..).zip(answers.drain(..)) {
            let answer = if committed.is_ok() { answer } else { Err(ApiError::Busy) };
            if let Ok(done) = &answer {
                total.fetch_add(done.created, Ordering::Relaxed);
            }
            // A client that has gone needs no answer.
            drop(sender.send(answer));
        }
    }
}

/// Makes the changes in one transaction, each in a savepoint: one that fails leaves the others.
fn commit(
    connection: &Connection,
    group: &[(Change, oneshot::Sender<Answer>)],
    answers: &mut Vec<Answer>,
) -> Result<(), rusqlite::Error> {
    let run = |sql: &str| connection.prepare_cached(sql)?.execute(());
    run("BEGIN IMMEDIATE")?;
    for (change, _) in group {
        run("SAVEPOINT change")?;
        let made = change.make(connection);
        if made.is_err() {
            run("ROLLBACK TO change")?;
        }
        run("RELEASE change")?;
        answers.push(made);
    }
    run("COMMIT")?;
    Ok(())
}
