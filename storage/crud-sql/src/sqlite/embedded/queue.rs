//! [`Queue`]: the changes that wait for the writer.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot::Sender;
use tracing::Span;

use super::owned_write::{Applied, OwnedWrite};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;

/// Maximum number of waiting changes, and maximum bytes of their values.
const MAX_WAITING: usize = 1_024;
const MAX_WAITING_BYTES: usize = 64 << 20;

/// Maximum number of changes in a transaction, and maximum bytes of their values.
const MAX_GROUP: usize = 256;
const MAX_GROUP_BYTES: usize = 4 << 20;

/// A waiting change, with the reply channel of its request.
pub(super) struct Job {
    pub(super) resource: &'static Descriptor,
    pub(super) write: OwnedWrite,
    pub(super) reply: Sender<Result<Applied, AdapterError>>,
    pub(super) turn: Arc<Turn>,
    /// The span of the request's call.
    pub(super) span: Span,
    /// See [`OwnedWrite::size`].
    pub(super) size: usize,
}

/// State of a queued change: waiting, begun, or abandoned because its request has gone.
#[derive(Debug, Default)]
pub(super) struct Turn(AtomicU8);

const WAITING: u8 = 0;
const BEGUN: u8 = 1;
const ABANDONED: u8 = 2;

impl Turn {
    /// Begins the change, unless its request has gone.
    fn begin(&self) -> bool {
        self.0.compare_exchange(WAITING, BEGUN, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Abandons the change, unless it has begun.
    pub(super) fn abandon(&self) -> bool {
        self.0.compare_exchange(WAITING, ABANDONED, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

/// The bounded queue of changes that wait for the writer.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    arrival: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    bytes: usize,
    closed: bool,
}

impl Queue {
    /// Appends a change.
    ///
    /// # Errors
    /// [`AdapterError::Unavailable`] when the queue is full.
    pub(super) fn push(&self, job: Job) -> Result<(), AdapterError> {
        let mut waiting = self.lock();
        let full = waiting.jobs.len() >= MAX_WAITING || waiting.bytes + job.size > MAX_WAITING_BYTES;
        if waiting.closed || full && !waiting.jobs.is_empty() {
            return Err(AdapterError::Unavailable("too many changes wait for the database".into()));
        }
        waiting.bytes += job.size;
        waiting.jobs.push_back(job);
        drop(waiting);
        self.arrival.notify_one();
        Ok(())
    }

    /// Waits for a change. Returns false at the end of the queue.
    pub(super) fn wait(&self) -> bool {
        let mut waiting = self.lock();
        while waiting.jobs.is_empty() && !waiting.closed {
            waiting = self.arrival.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        !waiting.jobs.is_empty()
    }

    /// Takes the changes of the next transaction, except those whose requests have gone.
    pub(super) fn take_group(&self) -> Vec<Job> {
        let mut waiting = self.lock();
        let mut group = Vec::new();
        let mut bytes = 0;
        while let Some(job) = waiting.jobs.front() {
            if !group.is_empty() && (group.len() >= MAX_GROUP || bytes + job.size > MAX_GROUP_BYTES) {
                break;
            }
            let Some(job) = waiting.jobs.pop_front() else { break };
            waiting.bytes -= job.size;
            if !job.reply.is_closed() && job.turn.begin() {
                bytes += job.size;
                group.push(job);
            }
        }
        group
    }

    /// Number of changes that wait.
    pub(super) fn waiting(&self) -> u64 {
        self.lock().jobs.len() as u64
    }

    /// Closes the queue. Changes that already wait are still applied.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.arrival.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
