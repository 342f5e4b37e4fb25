//! [`Slots`]: connections for the same purpose, and the permits to use them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::group_sizes::GroupSizes;
use crate::model::adapter_error::AdapterError;
use crate::sqlite::embedded::connection::health::Health;
use crate::sqlite::embedded::connection::idle::Idle;
use crate::sqlite::embedded::connection::location::Location;
use crate::sqlite::embedded::connection::open::{Open, Purpose};
use crate::sqlite::embedded::connection::time_limit::TimeLimit;
use crate::sqlite::embedded::error::{Error, general};
use crate::sqlite::embedded::reads::long_statements::LongStatements;
use crate::sqlite::embedded::reads::seen_plans::SeenPlans;
use crate::sqlite::embedded::totals::Totals;
use crate::storage::status::StorageStatus;
use crate::wait_queue::WaitQueue;

/// Time that a request waits for a connection.
pub(in crate::sqlite::embedded) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// Number of short calls that run on another thread after an inline call took too long.
const COOL_DOWN: u32 = 256;

/// Connections for the same purpose.
pub(in crate::sqlite::embedded) struct Slots {
    location: Location,
    purpose: Purpose,
    permits: Arc<Semaphore>,
    queue: WaitQueue,
    idle: Idle,
    /// Whether every use needs a permit. The database is in memory: it only exists in its one connection.
    exclusive: bool,
    /// Totals of the tables, for connections that write.
    totals: Option<Arc<Totals>>,
    /// Health of the disk, for connections that write.
    health: Option<Arc<Health>>,
    /// Sizes of shared commits.
    sizes: GroupSizes,
    /// Number of statements that ran again.
    repeats: AtomicU64,
    time: TimeLimit,
    /// Number of short calls that still run on another thread since an inline call took too long.
    cool_down: AtomicU32,
    long: Arc<LongStatements>,
    plans: Arc<SeenPlans>,
}

impl Slots {
    /// Slots for reads. At most `limit` connections wait, compute long or write at a time.
    pub(in crate::sqlite::embedded) fn of_readers(
        location: Location,
        limit: usize,
        time: TimeLimit,
        plans: Arc<SeenPlans>,
    ) -> Arc<Self> {
        Arc::new(Self { plans, ..Self::of(location, Purpose::Read, limit, time) })
    }

    /// Slots for writes: one connection at a time.
    pub(in crate::sqlite::embedded) fn of_writer(
        location: Location,
        totals: Arc<Totals>,
        health: Arc<Health>,
        time: TimeLimit,
        plans: Arc<SeenPlans>,
    ) -> Arc<Self> {
        let (totals, health) = (Some(totals), Some(health));
        Arc::new(Self { totals, health, plans, ..Self::of(location, Purpose::Write, 1, time) })
    }

    /// Slots for a database in memory, which has one connection.
    pub(in crate::sqlite::embedded) fn exclusive(location: Location, open: Open, time: TimeLimit) -> Arc<Self> {
        let slots = Self::of(location, Purpose::Write, 1, time);
        let idle = Idle::of(vec![open.with_long_statements(slots.long.clone()).with_plans(slots.plans.clone())]);
        Arc::new(Self { idle, exclusive: true, ..slots })
    }

    fn of(location: Location, purpose: Purpose, limit: usize, time: TimeLimit) -> Self {
        Self {
            location,
            purpose,
            permits: Arc::new(Semaphore::new(limit)),
            queue: WaitQueue::default(),
            idle: Idle::default(),
            exclusive: false,
            totals: None,
            health: None,
            sizes: GroupSizes::default(),
            repeats: AtomicU64::new(0),
            time,
            cool_down: AtomicU32::new(0),
            long: Arc::default(),
            plans: Arc::default(),
        }
    }

    fn open(&self) -> Result<Open, Error> {
        let open = Open::at(&self.location, self.purpose)?
            .with_long_statements(self.long.clone())
            .with_plans(self.plans.clone());
        Ok(match &self.totals {
            Some(totals) => open.with_tally(totals.clone()),
            None => open,
        })
    }

    /// A connection for work that may take long.
    pub(in crate::sqlite::embedded) async fn acquire(self: &Arc<Self>) -> Result<Leased, AdapterError> {
        self.acquire_open().await?.settled().await
    }

    /// Acquires a connection on which other requests may have left a transaction open.
    pub(in crate::sqlite::embedded) async fn acquire_open(self: &Arc<Self>) -> Result<Leased, AdapterError> {
        let permit = self.permit().await?;
        Ok(self.lease(Some(permit)))
    }

    /// A connection for work that is short enough for the thread of its request. It needs a permit only where the
    /// database has one connection.
    pub(in crate::sqlite::embedded) async fn acquire_inline(self: &Arc<Self>) -> Result<Leased, AdapterError> {
        if self.exclusive { self.acquire().await } else { Ok(self.lease(None)) }
    }

    /// Waits for a connection without a time limit. Other requests may have left a transaction open on it.
    pub(in crate::sqlite::embedded) async fn acquire_patiently(self: &Arc<Self>) -> Option<Leased> {
        let permit = self.permits.clone().acquire_owned().await.ok()?;
        Some(self.lease(Some(permit)))
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, AdapterError> {
        if let Ok(permit) = self.permits.clone().try_acquire_owned() {
            return Ok(permit);
        }
        let place = self.queue.enter()?;
        let permit = timeout(ACQUIRE_TIMEOUT, self.permits.clone().acquire_owned()).await;
        let permit = permit.map_err(|error| AdapterError::Unavailable(error.into()))?;
        place.served();
        permit.map_err(|error| AdapterError::Unavailable(error.into()))
    }

    /// The statements that were slow.
    pub(in crate::sqlite::embedded) fn long_statements(&self) -> &LongStatements {
        &self.long
    }

    /// Time limit of a statement that nothing can cancel.
    pub(in crate::sqlite::embedded) fn time_limit(&self) -> Duration {
        self.time.get()
    }

    /// Whether a call that is expected to be short may run on the thread of its request.
    pub(in crate::sqlite::embedded) fn trusts_inline(&self) -> bool {
        let cooler = |remaining: u32| remaining.checked_sub(1);
        self.cool_down.fetch_update(Ordering::Relaxed, Ordering::Relaxed, cooler).is_err()
    }

    /// Notes that an inline call took too long, as a program's own triggers may.
    pub(in crate::sqlite::embedded) fn distrust_inline(&self) {
        self.cool_down.store(COOL_DOWN, Ordering::Relaxed);
    }

    /// Whether every use of a connection needs a permit, so that no request reads uncommitted changes of another.
    pub(in crate::sqlite::embedded) const fn is_exclusive(&self) -> bool {
        self.exclusive
    }

    /// Notes whether the disk accepted a change.
    pub(in crate::sqlite::embedded) fn notice<T>(&self, change: &Result<T, AdapterError>) {
        if let Some(health) = &self.health {
            health.notice(change);
        }
    }

    /// The sizes of group commits.
    pub(in crate::sqlite::embedded) const fn sizes(&self) -> &GroupSizes {
        &self.sizes
    }

    /// Number of statements that ran again because an interruption for another statement had hit them.
    pub(in crate::sqlite::embedded) fn repeats(&self) -> u64 {
        self.repeats.load(Ordering::Relaxed)
    }

    /// Status of the connections: their number, those in use, and the requests that wait for one.
    pub(in crate::sqlite::embedded) fn status(&self, limit: usize) -> StorageStatus {
        let busy = limit.saturating_sub(self.permits.available_permits());
        StorageStatus::new(busy as u64, limit as u64, self.queue.waiting())
    }

    fn lease(self: &Arc<Self>, permit: Option<OwnedSemaphorePermit>) -> Leased {
        Leased { open: self.idle.take(), slots: self.clone(), _permit: permit }
    }

    /// Returns a connection to the idle ones, or closes it if there are too many.
    pub(in crate::sqlite::embedded) fn put(&self, open: Open) {
        self.idle.put(open);
    }
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slots").field("location", &self.location).finish_non_exhaustive()
    }
}

/// A connection in use. When it is dropped, its transaction is rolled back, except for changes that other requests wait
/// to see committed. Then the connection becomes idle.
pub(in crate::sqlite::embedded) struct Leased {
    /// `None` until the connection is opened.
    open: Option<Open>,
    slots: Arc<Slots>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Leased {
    /// The connection, which is opened at its first use.
    pub(in crate::sqlite::embedded) fn open(&mut self) -> Result<&mut Open, Error> {
        match &mut self.open {
            Some(open) => Ok(open),
            none => Ok(none.insert(self.slots.open()?)),
        }
    }

    /// Commits the transactions that other requests left open.
    pub(in crate::sqlite::embedded) fn commit_shared(&mut self) {
        if let Some(open) = self.open.as_mut().filter(|open| open.has_shared()) {
            self.slots.sizes.count(open.shared());
            open.commit_shared(|committed| self.slots.notice(committed));
        }
    }

    /// Commits a transaction that other requests left open on the connection.
    ///
    /// # Errors
    /// When the thread of the commit fails.
    pub(in crate::sqlite::embedded) async fn settled(mut self) -> Result<Self, AdapterError> {
        if !self.opened().is_some_and(Open::has_shared) {
            return Ok(self);
        }
        let settled = spawn_blocking(move || {
            self.commit_shared();
            self
        });
        settled.await.map_err(|_| general(Error::GivenUp))
    }

    /// The [`Slots`] that the connection belongs to.
    pub(in crate::sqlite::embedded) const fn slots(&self) -> &Arc<Slots> {
        &self.slots
    }

    /// The connection, if it is open.
    pub(in crate::sqlite::embedded) const fn opened(&self) -> Option<&Open> {
        self.open.as_ref()
    }
}

impl Drop for Leased {
    fn drop(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        // Only if there are any: otherwise each read would write to memory that all threads share.
        if let repeats @ 1.. = open.take_repeats() {
            self.slots.repeats.fetch_add(repeats, Ordering::Relaxed);
        }
        if open.leave_shared() || open.reset() {
            self.slots.put(open);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::sqlite::embedded::connection::Connection;
    use crate::sqlite::spelling::BEGIN;

    /// The one connection of a database in memory, for writes.
    fn writing() -> Arc<Slots> {
        let location = Location::of_url("sqlite::memory:").unwrap();
        let open = Open::at(&location, Purpose::Write).unwrap();
        Slots::exclusive(location, open, TimeLimit::new())
    }

    #[tokio::test]
    async fn requests_that_leave_keep_no_place_in_the_queue() {
        let slots = writing();
        let held = slots.acquire().await.unwrap();
        let mut leaving: Vec<_> = (0..100).map(|_| Box::pin(slots.acquire())).collect();
        assert!(leaving.iter_mut().all(|waiting| waiting.now_or_never().is_none()));
        let mut next = Box::pin(slots.acquire());
        assert!((&mut next).now_or_never().is_none());
        assert_eq!(slots.status(1).waiting, 101);
        // The first transaction already has the connection.
        drop(held);
        drop(leaving);
        assert!(next.now_or_never().is_some_and(|acquired| acquired.is_ok()));
        assert_eq!(slots.status(1).waiting, 0);
    }

    #[tokio::test]
    async fn transaction_of_a_request_that_leaves_is_over_before_the_next_begins() {
        const ENDLESS: &str = "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT count(*) FROM t";
        let slots = writing();
        let mut left = Connection::elsewhere(slots.acquire().await.unwrap());
        left.begin(BEGIN).await.unwrap();
        left.work(|open| open.all("CREATE TABLE numbers (number INTEGER)", &[])).await.unwrap();
        let mut statement = Box::pin(left.work(|open| open.all(ENDLESS, &[])));
        assert!((&mut statement).now_or_never().is_none());
        drop(statement);
        drop(left);
        let mut next = Connection::elsewhere(slots.acquire().await.unwrap());
        assert!(!next.is_in_transaction());
        let tables = next.work(|open| open.all("SELECT 1 FROM sqlite_schema", &[])).await.unwrap();
        assert_eq!(tables.len(), 0, "it is rolled back");
    }
}
