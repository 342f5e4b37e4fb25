//! [`Connections`]: the open connections, limited in number.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use super::connection_state::ConnectionState;

/// The largest limit: a semaphore can have this many permits on every platform.
const MAX_CONNECTIONS: u32 = 1 << 24;

/// Interval between searches for a connection to close while one waits to be served.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The time between two warnings about the limit.
const WARNING_INTERVAL: Duration = Duration::from_mins(1);

/// The open connections of a server.
#[derive(Debug)]
pub(crate) struct Connections {
    limit: u32,
    slots: Arc<Semaphore>,
    open: Arc<Open>,
    next: u64,
    warned: Option<Instant>,
}

/// The states of the open connections, by number.
#[derive(Debug, Default)]
struct Open(Mutex<HashMap<u64, Arc<ConnectionState>>>);

/// An open connection: it leaves the list, and its slot is free, when this is dropped.
#[derive(Debug)]
pub(crate) struct OpenConnection {
    pub(crate) state: Arc<ConnectionState>,
    number: u64,
    open: Arc<Open>,
    _slot: OwnedSemaphorePermit,
}

impl Connections {
    pub(crate) fn new(limit: u32) -> Self {
        let limit = limit.min(MAX_CONNECTIONS);
        let slots = Arc::new(Semaphore::new(limit as usize));
        Self { limit, slots, open: Arc::default(), next: 0, warned: None }
    }

    /// Adds a connection. At the limit, it first closes the one that has waited longest for its client: an idle one if
    /// there is one, or one whose client does not read. Waits while every connection is busy.
    pub(crate) async fn add(&mut self) -> OpenConnection {
        let slot = self.slot().await;
        let state = Arc::<ConnectionState>::default();
        self.next += 1;
        self.open.lock().insert(self.next, state.clone());
        OpenConnection { state, number: self.next, open: self.open.clone(), _slot: slot }
    }

    async fn slot(&mut self) -> OwnedSemaphorePermit {
        if let Ok(slot) = self.slots.clone().try_acquire_owned() {
            return slot;
        }
        if self.warned.is_none_or(|warned| warned.elapsed() >= WARNING_INTERVAL) {
            tracing::warn!(limit = self.limit, "the connection limit is reached: closing idle connections");
            self.warned = Some(Instant::now());
        }
        loop {
            self.close_one();
            // The semaphore is never closed, so the inner error does not occur.
            if let Ok(Ok(slot)) = timeout(CHECK_INTERVAL, self.slots.clone().acquire_owned()).await {
                return slot;
            }
        }
    }

    /// Closes the connection that has waited longest for its client, if one has waited for long.
    pub(crate) fn close_one(&self) {
        let open = self.open.lock();
        let waiting = open.values().filter_map(|state| Some((state.long_wait()?, state)));
        if let Some((_, state)) = waiting.min_by_key(|(wait, _)| *wait) {
            state.close();
        }
    }

    /// Closes every connection: those that wait for their clients at once, the others after their response.
    pub(crate) fn close(&self) {
        self.open.lock().values().for_each(|state| state.close());
    }

    /// Resolves when all connections are closed.
    pub(crate) async fn closed(&self) {
        // The semaphore is never closed, so this waits for every slot.
        let _ = self.slots.acquire_many(self.limit).await;
    }
}

impl Open {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<ConnectionState>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.open.lock().remove(&self.number);
    }
}
