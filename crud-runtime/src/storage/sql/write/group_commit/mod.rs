//! [`Together`]: changes of several requests in one transaction.
//!
//! Sixteen records in one transaction cost a database little more than two in one each: most of a small change is
//! messages, the beginning of statements and the commit. So a few writers go as they come. Who comes while they are
//! at it waits until one of them is done, and goes in one transaction with all who wait too. Where writers are few,
//! none of them waits; the busier a server is, the more go together.

mod owned_change;
mod transaction;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot::{self, Receiver, Sender};
use tokio::time::timeout;

use self::owned_change::{Kind, Single};
use self::transaction::Unmade;
use super::locking::Item;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::sql::lease::Leases;
use crate::storage::sql::pooled::Server;
use crate::storage::write::{Recorder, Write};

/// How long a change waits for writers that are stuck.
const PATIENCE: Duration = Duration::from_millis(50);

/// How many changes go together at most.
const MOST: usize = 100;

/// How many changes go by themselves after some could not go together.
const REST: u32 = 64;

/// Changes that are made, or wait to be.
pub(crate) struct Together<E: Server>(Arc<Shared<E>>);

struct Shared<E: Server> {
    leases: Arc<Leases<E::Database>>,
    /// How a transaction begins.
    begin: &'static str,
    /// How many writers of a line do not wait.
    width: usize,
    queues: Mutex<HashMap<Key, Queue<E>>>,
}

/// What changes have in common that can go together.
#[derive(Debug, Clone, Copy)]
struct Line {
    resource: &'static Descriptor,
    kind: Kind,
    log: Option<&'static Descriptor>,
}

/// A [`Line`], by where its resources are: several may be of one table.
type Key = (usize, Kind, Option<usize>);

/// The changes of a line.
struct Queue<E: Server> {
    /// How many writers are at it, with one change or with several.
    writers: usize,
    waiting: Vec<Waiting<E>>,
    /// How many changes yet go by themselves.
    rest: u32,
    /// The number of the next change that waits.
    next: u64,
}

/// A change that waits.
struct Waiting<E: Server> {
    number: u64,
    change: Single,
    reply: Sender<Reply<E>>,
}

/// What a change waits for.
type Reply<E> = Result<Way<E>, AdapterError>;

/// What becomes of a change.
pub(crate) enum Way<E: Server> {
    /// It is to be made by itself, while the turn is held; nothing has happened.
    Alone(Option<Turn<E>>),
    /// It was made with others, or found impossible.
    Made(Item<E>),
}

/// A writer's place, which goes to those who wait when it is dropped.
pub(crate) struct Turn<E: Server> {
    shared: Arc<Shared<E>>,
    line: Line,
}

impl<E: Server> Together<E> {
    /// Changes on these connections, if the database has any go together.
    pub(crate) fn new(leases: &Arc<Leases<E::Database>>) -> Option<Self> {
        // The more of them, the fewer go together; and others want to read.
        let width = (leases.pool().options().get_max_connections() as usize / 3).max(1);
        let begin = E::BEGIN_TOGETHER?;
        Some(Self(Arc::new(Shared { leases: leases.clone(), begin, width, queues: Mutex::default() })))
    }

    /// Waits until a change is to be made by itself, or was made with others.
    ///
    /// # Errors
    /// When the database is away, or it cannot be told whether the change was made.
    pub(crate) async fn join(&self, resource: &'static Descriptor, write: &Write<'_>) -> Reply<E> {
        let Some(kind) = Single::kind(write) else { return Ok(Way::Alone(None)) };
        let line = Line { resource, kind, log: write.recorder.as_deref().map(Recorder::log) };
        let (number, mut reply) = match self.0.enter(line, write) {
            Ok(way) => return Ok(way),
            Err(waits) => waits,
        };
        let reply = match timeout(PATIENCE, &mut reply).await {
            Ok(reply) => reply,
            Err(_) => {
                self.0.hasten(line, number);
                reply.await
            }
        };
        reply.map_err(|_| AdapterError::Other("a change was lost among others".into()))?
    }
}

impl<E: Server> Shared<E> {
    fn queues(&self) -> MutexGuard<'_, HashMap<Key, Queue<E>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The way of a change, or what it waits for, and the number by which it does.
    fn enter(self: &Arc<Self>, line: Line, write: &Write<'_>) -> Result<Way<E>, (u64, Receiver<Reply<E>>)> {
        let mut queues = self.queues();
        let queue = queues.entry(line.key()).or_default();
        if queue.rest > 0 {
            queue.rest -= 1;
            return Ok(Way::Alone(None));
        }
        if queue.writers < self.width {
            queue.writers += 1;
            return Ok(Way::Alone(Some(Turn { shared: self.clone(), line })));
        }
        let Some(change) = Single::of(line.resource, write) else { return Ok(Way::Alone(None)) };
        Err(queue.wait(change))
    }

    /// Gives those who wait another writer, if this one still does.
    fn hasten(self: &Arc<Self>, line: Line, number: u64) {
        let waits = {
            let mut queues = self.queues();
            let queue = queues.entry(line.key()).or_default();
            let waits = queue.waiting.iter().any(|waiting| waiting.number == number);
            queue.writers += usize::from(waits);
            waits
        };
        if waits {
            self.pass(line);
        }
    }

    /// Hands a writer's place to those who wait.
    fn pass(self: &Arc<Self>, line: Line) {
        let mut queues = self.queues();
        let queue = queues.entry(line.key()).or_default();
        queue.waiting.retain(Waiting::is_awaited);
        if queue.waiting.len() > 1
            && let Ok(runtime) = Handle::try_current()
        {
            drop(queues);
            runtime.spawn(Turn { shared: self.clone(), line }.take_all());
        } else if let Some(one) = queue.waiting.pop() {
            drop(queues);
            one.reply(Ok(Way::Alone(Some(Turn { shared: self.clone(), line }))));
        } else {
            queue.writers -= 1;
        }
    }
}

impl<E: Server> Turn<E> {
    /// Makes the changes that wait.
    async fn take_all(self) {
        let Self { shared, line } = &self;
        let connection = shared.leases.take().await;
        let mut waiting = shared.queues().entry(line.key()).or_default().take();
        let mut connection = match connection.map_err(E::general) {
            Ok(connection) => connection,
            Err(error) => return fail(waiting, &error),
        };
        if waiting.len() < 2 {
            connection.hand_on();
            if let Some(one) = waiting.pop() {
                one.reply(Ok(Way::Alone(Some(self))));
            }
            return;
        }
        let changes = waiting.iter_mut().map(|waiting| &mut waiting.change);
        match transaction::run::<E>(&mut connection, shared.begin, line.resource, line.kind, changes.collect()).await {
            Ok(items) => {
                connection.hand_on();
                for (one, item) in waiting.into_iter().zip(items) {
                    one.reply(Ok(Way::Made(item)));
                }
            }
            Err(Unmade::Surely) => {
                drop(connection);
                // What is in the way of one is told to that one, and the others are not held up again at once.
                shared.queues().entry(line.key()).or_default().rest = REST;
                for one in waiting {
                    one.reply(Ok(Way::Alone(None)));
                }
            }
            Err(Unmade::Perhaps(error)) => fail(waiting, &error),
        }
    }
}

impl<E: Server> Drop for Turn<E> {
    fn drop(&mut self) {
        self.shared.pass(self.line);
    }
}

impl Line {
    fn key(&self) -> Key {
        let place = |resource: &'static Descriptor| std::ptr::from_ref(resource).addr();
        (place(self.resource), self.kind, self.log.map(place))
    }
}

impl<E: Server> Default for Queue<E> {
    fn default() -> Self {
        Self { writers: 0, waiting: Vec::new(), rest: 0, next: 0 }
    }
}

impl<E: Server> Queue<E> {
    fn wait(&mut self, change: Single) -> (u64, Receiver<Reply<E>>) {
        let (reply, receiver) = oneshot::channel();
        let number = self.next;
        self.next += 1;
        self.waiting.push(Waiting { number, change, reply });
        (number, receiver)
    }

    /// Takes those out who can go together: the first ones, and of those who change the same record the first.
    fn take(&mut self) -> Vec<Waiting<E>> {
        let mut records = HashSet::new();
        let (mut together, mut later) = (Vec::with_capacity(self.waiting.len()), Vec::new());
        for waiting in self.waiting.drain(..).filter(Waiting::is_awaited) {
            let goes = together.len() < MOST && waiting.change.id().is_none_or(|id| records.insert(id.to_string()));
            if goes { &mut together } else { &mut later }.push(waiting);
        }
        self.waiting = later;
        together
    }
}

impl<E: Server> Waiting<E> {
    /// Whether anybody still wants the change.
    fn is_awaited(&self) -> bool {
        !self.reply.is_closed()
    }

    fn reply(self, reply: Reply<E>) {
        // Who has gone meanwhile does without.
        let _ = self.reply.send(reply);
    }
}

/// Tells all of them what failed.
fn fail<E: Server>(waiting: Vec<Waiting<E>>, error: &AdapterError) {
    for one in waiting {
        one.reply(Err(match error {
            AdapterError::Unavailable(source) => AdapterError::Unavailable(source.to_string().into()),
            AdapterError::Timeout => AdapterError::Timeout,
            other => AdapterError::Other(other.to_string().into()),
        }));
    }
}

impl<E: Server> fmt::Debug for Together<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Together").field("width", &self.0.width).finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "postgres"))]
mod tests {
    use super::*;
    use crate::model::resource::Resource;
    use crate::model::value::Value;
    use crate::storage::sql::postgres::Postgres;
    use crate::storage::write::{Target, Work};
    use crate::store::audit_record::AuditRecord;

    /// Deletes that wait, by the keys of their records.
    fn queue(keys: impl IntoIterator<Item = i64>) -> (Queue<Postgres>, Vec<Receiver<Reply<Postgres>>>) {
        let mut queue = Queue::default();
        let wait = |key| {
            let key = Value::Int(key);
            let target = [Target::new(&key, None)];
            let change = Single::of(AuditRecord::DESCRIPTOR, &Write::atomic(Work::Delete(&target), None)).unwrap();
            queue.wait(change).1
        };
        let receivers = keys.into_iter().map(wait).collect();
        (queue, receivers)
    }

    fn numbers(waiting: &[Waiting<Postgres>]) -> Vec<u64> {
        waiting.iter().map(|waiting| waiting.number).collect()
    }

    #[test]
    fn changes_of_one_record_go_one_after_the_other() {
        let (mut queue, _receivers) = queue([7, 8, 7, 9, 7]);
        assert_eq!(numbers(&queue.take()), [0, 1, 3]);
        assert_eq!(numbers(&queue.take()), [2]);
        assert_eq!(numbers(&queue.take()), [4]);
        assert!(queue.take().is_empty());
    }

    #[test]
    fn a_change_that_nobody_waits_for_is_not_made() {
        let (mut queue, mut receivers) = queue([1, 2, 3]);
        drop(receivers.remove(1));
        assert_eq!(numbers(&queue.take()), [0, 2]);
    }

    #[test]
    fn there_is_a_bound_to_how_many_go_together() {
        let (mut queue, _receivers) = queue(0..250);
        let sizes: Vec<usize> = std::iter::from_fn(|| Some(queue.take().len()).filter(|size| *size > 0)).collect();
        assert_eq!(sizes, [100, 100, 50]);
    }
}
