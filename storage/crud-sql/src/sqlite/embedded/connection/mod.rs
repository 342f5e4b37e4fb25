//! [`Connection`]: a connection in use, and the thread on which its statements run.

pub(super) mod control;
pub(super) mod health;
pub(super) mod idle;
pub(super) mod location;
pub(super) mod mapping;
pub(super) mod open;
pub(super) mod slots;
pub(super) mod time_limit;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use self::control::CancelOnDrop;
use self::open::Open;
use self::slots::{Leased, Slots};
use super::error::{Error, details, general};
use super::row::Row;
use crate::model::adapter_error::AdapterError;
use crate::sqlite::argument::Argument;
use crate::sqlite::error::Details;
use crate::statement::Text;
use crate::storage::trace;

/// Number of rows in a batch that a statement sends from its thread, and maximum number of waiting batches.
const BATCH: usize = 64;
const BATCHES: usize = 4;

/// Bytes of texts and blobs at which a batch is sent.
const MAX_BATCH_BYTES: usize = 64 * 1024;

/// Time limit of an inline call. After a longer one, calls run on another thread for a while.
const TOO_LONG: Duration = Duration::from_millis(5);

/// Thread on which the statements of a connection run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallThread {
    /// The calling thread: the future of a call is ready at once.
    Here,
    /// The calling thread, which belongs to the async runtime: a call must be short.
    Inline,
    /// A thread of tokio's blocking pool.
    BlockingPool,
}

/// A connection in use.
pub(crate) struct Connection {
    /// `None` while a statement runs on another thread, and if a call was dropped meanwhile.
    leased: Option<Box<Leased>>,
    place: CallThread,
    /// Whether other transactions may share the commit of the connection's transaction.
    shares_commit: bool,
}

impl Connection {
    /// A connection for use on the current thread.
    pub(super) fn here(leased: Leased) -> Self {
        Self { leased: Some(Box::new(leased)), place: CallThread::Here, shares_commit: false }
    }

    /// A connection whose statements may take long.
    pub(super) fn elsewhere(leased: Leased) -> Self {
        Self { leased: Some(Box::new(leased)), place: CallThread::BlockingPool, shares_commit: false }
    }

    /// A connection on the blocking pool for a transaction whose commit others may share.
    pub(super) fn sharing(leased: Leased) -> Self {
        Self { shares_commit: true, ..Self::elsewhere(leased) }
    }

    /// Whether other transactions may share the commit of the connection's transaction.
    pub(super) const fn shares_commit(&self) -> bool {
        self.shares_commit
    }

    /// Runs the next statements on the calling thread, if they are short.
    pub(super) fn expect_inline(&mut self, inline: bool) {
        let Some(leased) = &self.leased else { return };
        let slots = leased.slots();
        self.place = if inline && slots.trusts_inline() { CallThread::Inline } else { CallThread::BlockingPool };
        if let Some(open) = leased.opened() {
            // No time limit on another thread: there, the waiting future cancels the statement.
            open.control().arm((self.place == CallThread::Inline).then(|| slots.time_limit()));
        }
    }

    /// Works on this thread, which cannot serve other tasks meanwhile.
    fn work_inline<T>(&mut self, work: impl FnOnce(&mut Open) -> Result<T, Error>) -> Result<T, Error> {
        let start = Instant::now();
        let result = self.open().and_then(work);
        if start.elapsed() > TOO_LONG
            && let Some(leased) = &self.leased
        {
            leased.slots().distrust_inline();
        }
        result
    }

    /// Begins a transaction with this statement, or a savepoint within a transaction. It only runs on another thread to
    /// wait for the lock of another process.
    pub(super) async fn begin(&mut self, statement: &'static str) -> Result<(), Error> {
        if self.is_in_transaction() {
            return self.open()?.begin(statement);
        }
        if self.place == CallThread::BlockingPool
            && self.leased.as_ref().is_some_and(|leased| leased.opened().is_some())
        {
            let open = self.open()?;
            open.set_patient(false)?;
            let begun = open.begin(statement);
            open.set_patient(true)?;
            match begun {
                Err(error) if details(&error).is_some_and(Details::is_busy) => {}
                begun => return begun,
            }
        }
        self.work(move |open| open.begin(statement)).await
    }

    /// The open connection, unless a call still uses it.
    pub(super) fn open(&mut self) -> Result<&mut Open, Error> {
        self.leased.as_mut().ok_or(Error::GivenUp)?.open()
    }

    /// The [`Slots`] that the connection belongs to.
    pub(super) fn slots(&self) -> Result<Arc<Slots>, Error> {
        self.leased.as_ref().map(|leased| leased.slots().clone()).ok_or(Error::GivenUp)
    }

    /// Whether the connection is in a transaction.
    pub(super) fn is_in_transaction(&self) -> bool {
        self.leased.as_ref().and_then(|leased| leased.opened()).is_some_and(Open::is_in_transaction)
    }

    /// Rolls back on this thread, which is quick: nothing is written to disk.
    pub(super) fn start_rollback(&mut self) {
        let rolled_back = self.open().and_then(Open::rollback);
        if rolled_back.is_err() {
            // Dropping the lease closes a connection that cannot roll back.
            self.leased = None;
        }
    }

    /// Runs work on the open connection. If the future is dropped, the statement is cancelled and the open transaction
    /// rolled back. If other transactions wait for the commit, the statement ends at the time limit instead, as SQLite
    /// rolls back the whole transaction when it interrupts a change.
    pub(super) async fn work<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Open) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        match self.place {
            CallThread::Here => return self.open().and_then(work),
            CallThread::Inline => return self.work_inline(work),
            CallThread::BlockingPool => {}
        }
        let mut leased = self.leased.take().ok_or(Error::GivenUp)?;
        let limit = leased.slots().time_limit();
        let cancel = leased.opened().and_then(|open| {
            if open.has_shared() {
                open.control().arm(Some(limit));
                return None;
            }
            Some(CancelOnDrop::new(open.control()))
        });
        let span = trace::span();
        let ended = spawn_blocking(move || {
            let _entered = span.enter();
            let result = leased.open().and_then(|open| {
                open.set_patient(true)?;
                work(open)
            });
            (leased, result)
        })
        .await;
        if let Some(cancel) = cancel {
            cancel.disarm();
        }
        let (leased, result) = ended.map_err(|_| Error::GivenUp)?;
        self.leased = Some(leased);
        result
    }

    /// Runs a statement and passes on each row while it reads them.
    pub(super) async fn stream(
        &mut self,
        text: Text,
        arguments: Vec<Argument>,
        each: &mut (dyn FnMut(&Row) -> Result<(), AdapterError> + Send),
    ) -> Result<(), AdapterError> {
        if self.place != CallThread::BlockingPool {
            let open = self.open().map_err(general)?;
            let run = open.run(text.as_str(), &arguments, |row, columns| {
                each(&Row::read(row, columns).map_err(|error| Stopped::Failed(error.into()))?).map_err(Stopped::Refused)
            });
            return run.map(drop).map_err(Stopped::into_adapter_error);
        }
        let (sender, mut receiver) = mpsc::channel::<Vec<Row>>(BATCHES);
        let produce = self.work(move |open| {
            let (mut batch, mut bytes) = (Vec::with_capacity(BATCH), 0);
            let run = open.run(text.as_str(), &arguments, |row, columns| {
                let row = Row::read(row, columns).map_err(|error| Stopped::Failed(error.into()))?;
                bytes += row.size();
                batch.push(row);
                if batch.len() < BATCH && bytes < MAX_BATCH_BYTES {
                    return Ok(());
                }
                bytes = 0;
                sender
                    .blocking_send(std::mem::replace(&mut batch, Vec::with_capacity(BATCH)))
                    .map_err(|_| Stopped::Unread)
            });
            match run {
                Ok(_) => drop(sender.blocking_send(batch)),
                Err(Stopped::Failed(error)) => return Err(error),
                // The reader itself reports why it stopped.
                Err(Stopped::Unread | Stopped::Refused(_)) => {}
            }
            Ok(())
        });
        // After an error the channel is closed. The producer then stops, so that the connection becomes free.
        let consume = async move {
            while let Some(batch) = receiver.recv().await {
                batch.iter().try_for_each(&mut *each)?;
            }
            Ok(())
        };
        let (produced, consumed) = tokio::join!(produce, consume);
        consumed?;
        produced.map_err(general)
    }
}

/// Reason why a statement was not run to its end.
enum Stopped {
    Failed(Error),
    /// The reader of the rows is gone.
    Unread,
    Refused(AdapterError),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl Stopped {
    fn into_adapter_error(self) -> AdapterError {
        match self {
            Self::Failed(error) => general(error),
            Self::Unread => general(Error::GivenUp),
            Self::Refused(error) => error,
        }
    }
}
