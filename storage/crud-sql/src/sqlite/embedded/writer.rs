//! [`Writer`]: the thread that makes changes, by group commit.
//!
//! It takes all waiting changes, applies each within a savepoint of one transaction, commits, and replies:
//!
//! ```sql
//! BEGIN IMMEDIATE;
//! SAVEPOINT level_1; INSERT …; INSERT INTO "audit_logs" …; RELEASE level_1;
//! SAVEPOINT level_1; UPDATE …; ROLLBACK TO level_1; RELEASE level_1;
//! COMMIT;
//! ```
//!
//! They share the one sync of a commit. A change that fails is undone by its savepoint. If SQLite rolls the whole
//! transaction back, or refuses to commit it, each of the other changes is applied again by itself.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::connection::Connection;
use super::connection::slots::{ACQUIRE_TIMEOUT, Slots};
use super::connection::time_limit::TimeLimit;
use super::error::{general, is_lost};
use super::owned_write::{Applied, OwnedWrite};
use super::queue::{Job, Queue, Turn};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::sqlite::spelling::BEGIN;
use crate::storage::trace;

/// The thread that applies changes. When this is dropped, the thread applies the waiting changes and ends.
pub(super) struct Writer(Arc<Queue>);

impl Writer {
    /// Starts the thread. `slots`: the writer's connection.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub(super) fn start(slots: Arc<Slots>, limit: TimeLimit) -> Result<Self, AdapterError> {
        let queue = Arc::new(Queue::default());
        let of_thread = queue.clone();
        let thread = thread::Builder::new().name("sqlite-writer".to_owned());
        let spawned = thread.spawn(move || {
            while of_thread.wait() {
                let Some(mut leased) = wait_for(slots.acquire_patiently()) else { break };
                leased.commit_shared();
                // Changes that arrived meanwhile join the group.
                let group = of_thread.take_group();
                if !group.is_empty() {
                    slots.sizes().count(group.len());
                }
                commit_group(&mut Connection::here(leased), group, &limit);
            }
        });
        spawned.map_err(|error| AdapterError::Unavailable(error.into()))?;
        Ok(Self(queue))
    }

    /// The queue of waiting changes.
    pub(super) fn queue(&self) -> &Queue {
        &self.0
    }

    /// Applies a change, and waits until it is durable.
    ///
    /// # Errors
    /// [`AdapterError::Unavailable`] when too many changes wait, or this one waited too long.
    pub(super) async fn apply(
        &self,
        resource: &'static Descriptor,
        write: OwnedWrite,
    ) -> Result<Applied, AdapterError> {
        let (reply, mut applied) = oneshot::channel();
        let turn = Arc::new(Turn::default());
        let size = write.size();
        self.0.push(Job { resource, write, reply, turn: turn.clone(), span: trace::span(), size })?;
        let reply = match timeout(ACQUIRE_TIMEOUT, &mut applied).await {
            Ok(reply) => reply,
            Err(error) if turn.abandon() => return Err(AdapterError::Unavailable(error.into())),
            Err(_) => applied.await,
        };
        reply.map_err(|_| AdapterError::Other("the writer has ended".into()))?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

type Result<T, E = AdapterError> = std::result::Result<T, E>;

/// Applies the changes of a group and replies to each.
fn commit_group(connection: &mut Connection, mut group: Vec<Job>, limit: &TimeLimit) {
    while group.len() > 1 {
        match make_group(connection, &group, limit) {
            Ok(applied) => {
                for (job, applied) in group.into_iter().zip(applied) {
                    reply(job, applied);
                }
                return;
            }
            Err(NotCommitted::Because(index, error)) => reply(group.remove(index), Err(error)),
            Err(NotCommitted::Unknown) => break,
        }
    }
    for job in group {
        let mut applied = apply(connection, &job, limit);
        if applied.as_ref().is_err_and(is_lost) {
            applied = apply(connection, &job, limit);
        }
        reply(job, applied);
    }
}

/// Reason why a group was not committed. None of its changes is stored.
enum NotCommitted {
    /// The change at this index ended the transaction.
    Because(usize, AdapterError),
    Unknown,
}

/// Applies the changes of a group in one transaction, and returns their results.
fn make_group(
    connection: &mut Connection,
    group: &[Job],
    limit: &TimeLimit,
) -> Result<Vec<Result<Applied>>, NotCommitted> {
    let begun = connection.open().and_then(|open| {
        open.set_patient(true)?;
        open.control().arm(None);
        open.begin(BEGIN)
    });
    begun.map_err(|_| NotCommitted::Unknown)?;
    let mut all = Vec::with_capacity(group.len());
    for (index, job) in group.iter().enumerate() {
        let applied = apply(connection, job, limit);
        if connection.open().is_ok_and(|open| !open.is_rolled_back()) {
            all.push(applied);
            continue;
        }
        connection.start_rollback();
        return Err(match applied {
            Err(error) if !is_lost(&error) => NotCommitted::Because(index, error),
            _ => NotCommitted::Unknown,
        });
    }
    let committed = connection.open().and_then(|open| {
        open.control().arm(None);
        open.commit()
    });
    committed.map(|()| all).map_err(|_| {
        connection.start_rollback();
        NotCommitted::Unknown
    })
}

/// Applies a change, within the open transaction or in its own.
fn apply(connection: &mut Connection, job: &Job, limit: &TimeLimit) -> Result<Applied> {
    let open = connection.open().map_err(general)?;
    open.set_patient(true).map_err(general)?;
    open.control().arm(Some(limit.get()));
    let _entered = job.span.enter();
    let applied = catch_unwind(AssertUnwindSafe(|| job.write.apply(connection, job.resource)));
    applied.unwrap_or_else(|_| Err(AdapterError::Other("a guard or a recorder of the change panicked".into())))
}

fn reply(job: Job, applied: Result<Applied>) {
    // A request that has gone needs no reply.
    drop(job.reply.send(applied));
}

/// Waits for a future on this thread.
fn wait_for<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
