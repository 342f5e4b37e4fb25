//! [`Lane`]: connections that are used alike.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::error::Error;
use super::location::Location;
use super::open::{Cache, Open};
use super::totals::Totals;
use crate::model::adapter_error::AdapterError;
use crate::storage::status::StorageStatus;
use crate::storage::waiting_line::WaitingLine;

/// How long a request waits for a connection.
pub(super) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// The most connections that are open and idle.
const MAX_IDLE: usize = 16;

/// Connections that are used alike, those that were used last first: their page caches are warm.
pub(super) struct Lane {
    location: Location,
    cache: Cache,
    permits: Arc<Semaphore>,
    line: WaitingLine,
    idle: Mutex<Vec<Open>>,
    /// Whether every use has a permit: the lane has one connection, which is the database.
    exclusive: bool,
    /// Of connections to write: where their changes are counted.
    totals: Option<Arc<Totals>>,
}

impl Lane {
    /// At most `limit` connections at a time that wait, compute long or write.
    pub(super) fn new(location: Location, cache: Cache, limit: usize) -> Arc<Self> {
        Self::of(location, cache, limit, Vec::new(), false, None)
    }

    /// One connection at a time, to write.
    pub(super) fn of_writer(location: Location, totals: Arc<Totals>) -> Arc<Self> {
        Self::of(location, Cache::OfWriter, 1, Vec::new(), false, Some(totals))
    }

    /// One connection, to a database in memory.
    pub(super) fn exclusive(location: Location, open: Open) -> Arc<Self> {
        Self::of(location, Cache::OfWriter, 1, vec![open], true, None)
    }

    fn of(
        location: Location,
        cache: Cache,
        limit: usize,
        idle: Vec<Open>,
        exclusive: bool,
        totals: Option<Arc<Totals>>,
    ) -> Arc<Self> {
        let permits = Arc::new(Semaphore::new(limit));
        Arc::new(Self {
            location,
            cache,
            permits,
            line: WaitingLine::default(),
            idle: Mutex::new(idle),
            exclusive,
            totals,
        })
    }

    fn open(&self) -> Result<Open, Error> {
        let open = Open::at(&self.location, self.cache)?;
        Ok(match &self.totals {
            Some(totals) => open.with_tally(totals.clone()),
            None => open,
        })
    }

    /// A connection for work that may take long.
    pub(super) async fn acquire(self: &Arc<Self>) -> Result<Leased, AdapterError> {
        let permit = self.permit().await?;
        Ok(self.lease(Some(permit)))
    }

    /// A connection for work that is over before the thread is missed. It waits for a permit only where the database has
    /// one connection.
    pub(super) async fn acquire_briefly(self: &Arc<Self>) -> Result<Leased, AdapterError> {
        if self.exclusive { self.acquire().await } else { Ok(self.lease(None)) }
    }

    /// A connection, for which this future waits as long as it takes.
    pub(super) async fn acquire_patiently(self: &Arc<Self>) -> Option<Leased> {
        let permit = self.permits.clone().acquire_owned().await.ok()?;
        Some(self.lease(Some(permit)))
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, AdapterError> {
        if let Ok(permit) = self.permits.clone().try_acquire_owned() {
            return Ok(permit);
        }
        let place = self.line.enter()?;
        let permit = timeout(ACQUIRE_TIMEOUT, self.permits.clone().acquire_owned()).await;
        let permit = permit.map_err(|error| AdapterError::Unavailable(error.into()))?;
        place.served();
        permit.map_err(|error| AdapterError::Unavailable(error.into()))
    }

    /// How many connections are in use, of how many, and how many requests wait for one.
    pub(super) fn status(&self, limit: usize) -> StorageStatus {
        let busy = limit.saturating_sub(self.permits.available_permits());
        StorageStatus::new(busy as u64, limit as u64, self.line.waiting())
    }

    fn lease(self: &Arc<Self>, permit: Option<OwnedSemaphorePermit>) -> Leased {
        let open = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Leased { open, lane: self.clone(), _permit: permit }
    }

    /// Makes a connection idle, which is closed where there are too many.
    pub(super) fn put(&self, open: Open) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE {
            idle.push(open);
        }
    }
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lane").field("location", &self.location).finish_non_exhaustive()
    }
}

/// A connection in use. When it is dropped, its transaction is rolled back and it returns to its lane.
pub(super) struct Leased {
    /// None until the connection is opened.
    open: Option<Open>,
    lane: Arc<Lane>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Leased {
    /// The connection, which is opened if there was none.
    pub(super) fn open(&mut self) -> Result<&mut Open, Error> {
        match &mut self.open {
            Some(open) => Ok(open),
            none => Ok(none.insert(self.lane.open()?)),
        }
    }

    /// The connection, if it is open.
    pub(super) const fn opened(&self) -> Option<&Open> {
        self.open.as_ref()
    }
}

impl Drop for Leased {
    fn drop(&mut self) {
        if let Some(mut open) = self.open.take()
            && open.reset()
        {
            self.lane.put(open);
        }
    }
}
