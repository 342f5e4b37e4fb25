//! Group commit: changes of concurrent requests in one transaction.
//!
//! Up to `width` writers of a line run at once; later ones queue, and the next permit that is released commits the queue
//! in one transaction. With few writers no change waits.
//!
//! A small change's cost is mostly messages, the start of statements and the commit, which a batch pays once. CPU time
//! of the server and PostgreSQL 15 for one request, with 32 writers on two cores, compared with a hand-written program
//! that has a transaction for each request:
//!
//! | Change | hand-written | group commit |
//! |---|---|---|
//! | create with its audit entry | 437 µs | 181 µs |
//! | update with its audit entry | 506 µs | 226 µs |
//!
//! [`queue`] has the states, [`transaction`] applies a batch, [`owned_change`] is a change without borrows from its
//! request.

mod owned_change;
mod queue;
mod transaction;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::runtime::Handle;
use tokio::sync::oneshot::{self, Receiver, Sender};
use tokio::time::timeout;

use self::owned_change::OwnedChange;
use self::queue::{Admission, Queue, Queued, Release, Ticket};
use self::transaction::NotCommitted;
use super::work_kind::WorkKind;
use crate::change::Change;
use crate::driver::Driver;
use crate::facts::Effects;
use crate::group_sizes::GroupSizes;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::pool::connection_cache::ConnectionCache;
use crate::storage::write::{Mode, Recorder, Write};

/// Time that a change waits for a permit before the queue gets an additional one.
const PERMIT_TIMEOUT: Duration = Duration::from_millis(50);

/// The group commit of a pool's connections.
pub(crate) struct GroupCommit<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>>(Arc<Shared<D>>);

struct Shared<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> {
    connections: Arc<ConnectionCache<D>>,
    /// The statement that begins a transaction.
    begin: &'static str,
    /// Number of permits per queue.
    width: usize,
    sizes: GroupSizes,
    queues: Mutex<HashMap<LineKey, Queue<Waiting<D>>>>,
}

/// Batch key: the properties that all changes of a batch share.
#[derive(Debug, Clone, Copy)]
struct Line {
    resource: &'static Descriptor,
    kind: WorkKind,
    log: Option<&'static Descriptor>,
    /// Effects of the table's triggers.
    effects: Effects,
}

/// A [`Line`] by the addresses of its descriptors. Several resources may have the same table.
type LineKey = (usize, WorkKind, Option<usize>);

/// A waiting change, with the reply channel of its request.
struct Waiting<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> {
    change: OwnedChange,
    reply: Sender<Reply<D>>,
}

type Reply<D> = Result<CommitPath<D>, AdapterError>;

/// Path of a change through the group commit.
pub(crate) enum CommitPath<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> {
    /// The change must be applied alone, while the permit is held, if there is one. Nothing has been applied yet.
    Alone(Option<Permit<D>>),
    /// The change was applied in a batch, or was refused.
    Applied(Change<D>),
}

/// The right to run one change or one batch. Dropping it passes it to waiting changes.
pub(crate) struct Permit<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> {
    shared: Arc<Shared<D>>,
    line: Line,
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> GroupCommit<D> {
    /// Group commit on these connections. `begin`: the statement that begins a transaction.
    pub(crate) fn new(connections: &Arc<ConnectionCache<D>>, begin: &'static str) -> Self {
        // With more permits batches are smaller, and reads find fewer connections.
        let width = (connections.pool().options().get_max_connections() as usize / 3).max(1);
        Self(Arc::new(Shared {
            connections: connections.clone(),
            begin,
            width,
            sizes: GroupSizes::default(),
            queues: Mutex::default(),
        }))
    }

    pub(crate) fn sizes(&self) -> &GroupSizes {
        &self.0.sizes
    }

    /// Waits until a change must be applied alone, or was applied in a batch.
    ///
    /// # Errors
    /// When the database is unavailable, or the answer to the batch's commit was lost.
    pub(crate) async fn join(&self, resource: &'static Descriptor, effects: Effects, write: &Write<'_>) -> Reply<D> {
        if write.mode == Mode::Rehearsal || write.work.len() != 1 {
            return Ok(CommitPath::Alone(None));
        }
        let (kind, log) = (WorkKind::of(write.work), write.recorder.as_deref().map(Recorder::log));
        let line = Line { resource, kind, log, effects };
        let (ticket, mut reply) = match self.0.admit(line, write) {
            Arrival::Goes(route) => return Ok(route),
            Arrival::Waits(ticket, reply) => (ticket, reply),
        };
        let reply = match timeout(PERMIT_TIMEOUT, &mut reply).await {
            Ok(reply) => reply,
            Err(_) => {
                self.0.expire(line, ticket);
                reply.await
            }
        };
        reply.map_err(|_| AdapterError::Other("a batch of changes was lost".into()))?
    }
}

/// Outcome of a change's arrival: it takes a path at once, or waits.
enum Arrival<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> {
    Goes(CommitPath<D>),
    Waits(Ticket, Receiver<Reply<D>>),
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Shared<D> {
    fn queues(&self) -> MutexGuard<'_, HashMap<LineKey, Queue<Waiting<D>>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn permit(self: &Arc<Self>, line: Line) -> Permit<D> {
        Permit { shared: self.clone(), line }
    }

    fn admit(self: &Arc<Self>, line: Line, write: &Write<'_>) -> Arrival<D> {
        let mut waiting = None;
        let change = || {
            let change = OwnedChange::of(line.resource, write)?;
            let (reply, receiver) = oneshot::channel();
            waiting = Some(receiver);
            Some(Waiting { change, reply })
        };
        let admission = self.queues().entry(line.key()).or_default().admit(self.width, change);
        match (admission, waiting) {
            (Admission::Wait(ticket), Some(reply)) => Arrival::Waits(ticket, reply),
            (Admission::Permit, _) => Arrival::Goes(CommitPath::Alone(Some(self.permit(line)))),
            _ => Arrival::Goes(CommitPath::Alone(None)),
        }
    }

    fn expire(self: &Arc<Self>, line: Line, ticket: Ticket) {
        let release = self.queues().entry(line.key()).or_default().expire(ticket);
        if let Some(release) = release {
            self.pass(line, release);
        }
    }

    fn release(self: &Arc<Self>, line: Line) {
        let release = self.queues().entry(line.key()).or_default().release();
        self.pass(line, release);
    }

    /// Passes a permit on. The queues must not be locked, as a dropped permit locks them.
    fn pass(self: &Arc<Self>, line: Line, release: Release<Waiting<D>>) {
        match release {
            Release::Idle => {}
            Release::Single(waiting) => waiting.reply(Ok(CommitPath::Alone(Some(self.permit(line))))),
            Release::Batch => match Handle::try_current() {
                Ok(runtime) => drop(runtime.spawn(self.permit(line).commit_batch())),
                // Outside of a runtime no batch can run: each change is applied alone.
                Err(_) => {
                    let batch = self.queues().entry(line.key()).or_default().take_batch();
                    for waiting in batch {
                        waiting.reply(Ok(CommitPath::Alone(None)));
                    }
                    self.release(line);
                }
            },
        }
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Permit<D> {
    /// Applies the waiting changes as a batch.
    async fn commit_batch(self) {
        let (shared, line) = (self.shared.clone(), self.line);
        let connection = shared.connections.acquire_writer().await;
        let mut batch = shared.queues().entry(line.key()).or_default().take_batch();
        let mut connection = match connection {
            Ok(connection) => connection,
            Err(error) => return fail(batch.into_iter().map(|waiting| waiting.reply), &error),
        };
        if batch.len() < 2 {
            connection.release();
            if let Some(waiting) = batch.pop() {
                waiting.reply(Ok(CommitPath::Alone(Some(self))));
            }
            return;
        }
        let (mut changes, mut replies): (Vec<_>, Vec<_>) =
            batch.into_iter().map(|waiting| (waiting.change, waiting.reply)).unzip();
        let replacement = connection.replacement();
        let run = transaction::run::<D>(
            &mut connection,
            shared.begin,
            line.resource,
            (line.kind, line.effects),
            changes.iter_mut().collect(),
        );
        let run = replacement.change(async { Ok(run.await) });
        let done = tokio::select! {
            biased;
            done = run => done.unwrap_or_else(|error| Err(NotCommitted::Unknown(error))),
            // All requests have gone: the connection is dropped, which ends its statement.
            _ = join_all(replies.iter_mut().map(Sender::closed)) => return,
        };
        match done {
            Ok(changes) => {
                connection.release();
                shared.sizes.count(changes.len());
                for (reply, change) in replies.into_iter().zip(changes) {
                    answer(reply, Ok(CommitPath::Applied(change)));
                }
            }
            Err(NotCommitted::RolledBack) => {
                drop(connection);
                shared.queues().entry(line.key()).or_default().cool_down();
                for reply in replies {
                    answer(reply, Ok(CommitPath::Alone(None)));
                }
            }
            Err(NotCommitted::Unknown(error)) => fail(replies, &error),
        }
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Drop for Permit<D> {
    fn drop(&mut self) {
        self.shared.release(self.line);
    }
}

impl Line {
    fn key(&self) -> LineKey {
        let address = |resource: &'static Descriptor| std::ptr::from_ref(resource).addr();
        (address(self.resource), self.kind, self.log.map(address))
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Waiting<D> {
    fn reply(self, reply: Reply<D>) {
        answer(self.reply, reply);
    }
}

fn answer<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>>(sender: Sender<Reply<D>>, reply: Reply<D>) {
    // A request that has gone needs no reply.
    let _ = sender.send(reply);
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Queued for Waiting<D> {
    fn is_live(&self) -> bool {
        !self.reply.is_closed()
    }

    fn record(&self) -> Option<String> {
        self.change.id().map(ToString::to_string)
    }
}

/// Replies with one error to every change of a batch.
fn fail<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>>(
    batch: impl IntoIterator<Item = Sender<Reply<D>>>,
    error: &AdapterError,
) {
    for reply in batch {
        answer(
            reply,
            Err(match error {
                AdapterError::Unavailable(source) => AdapterError::Unavailable(source.to_string().into()),
                AdapterError::Undecided(source) => AdapterError::Undecided(source.to_string().into()),
                AdapterError::Timeout => AdapterError::Timeout,
                AdapterError::Denied { of_record, source } => {
                    AdapterError::Denied { of_record: *of_record, source: source.to_string().into() }
                }
                other => AdapterError::Other(other.to_string().into()),
            }),
        );
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> fmt::Debug for GroupCommit<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupCommit").field("width", &self.0.width).finish_non_exhaustive()
    }
}
