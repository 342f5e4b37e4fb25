//! [`SqliteConnections`]: several readers and one writer of a database.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqlitePool};
use sqlx::{ConnectOptions, Connection};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::error::general;
use crate::model::adapter_error::AdapterError;

/// How long a request waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// The number of SQLite's instructions, a fraction of a millisecond, between two checks whether a statement is
/// cancelled.
const INSTRUCTIONS_BETWEEN_CHECKS: i32 = 10_000;

/// The connections of an adapter. The writer has a connection that readers do not take, so that it never queues behind
/// them; writers queue for it in order, instead of polling SQLite's lock, each on another connection.
#[derive(Debug)]
pub(super) enum SqliteConnections {
    Own { readers: Arc<Lane>, writer: Arc<Lane> },
    Pool { pool: SqlitePool, readers: Arc<Semaphore>, writer: Arc<Semaphore> },
}

impl SqliteConnections {
    /// Connections to a database file, of which one is open: one to write, and so many to read.
    pub(super) async fn to_file(
        options: SqliteConnectOptions,
        open: SqliteConnection,
        readers: usize,
    ) -> Result<Self, AdapterError> {
        let readers = Lane::new(options.clone(), readers, None);
        let writer = Lane::new(options, 1, Some(Open::new(open).await.map_err(general)?));
        Ok(Self::Own { readers, writer })
    }

    /// The one connection to a database in memory, which reads and writes.
    pub(super) async fn to_memory(options: SqliteConnectOptions, open: SqliteConnection) -> Result<Self, AdapterError> {
        let lane = Lane::new(options, 1, Some(Open::new(open).await.map_err(general)?));
        Ok(Self::Own { readers: lane.clone(), writer: lane })
    }

    /// The connections of a pool. Readers leave one of them to the writer.
    pub(super) fn of_pool(pool: SqlitePool) -> Self {
        let readers = (pool.options().get_max_connections() as usize).saturating_sub(1).max(1);
        Self::Pool { pool, readers: Arc::new(Semaphore::new(readers)), writer: Arc::new(Semaphore::new(1)) }
    }

    /// A connection to read.
    pub(super) async fn reader(&self) -> Result<Lease, AdapterError> {
        match self {
            Self::Own { readers, .. } => readers.lease().await,
            Self::Pool { pool, readers, .. } => Lease::of_pool(pool, readers).await,
        }
    }

    /// The connection to write.
    pub(super) async fn writer(&self) -> Result<Lease, AdapterError> {
        match self {
            Self::Own { writer, .. } => writer.lease().await,
            Self::Pool { pool, writer, .. } => Lease::of_pool(pool, writer).await,
        }
    }
}

async fn permit(semaphore: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, AdapterError> {
    if let Ok(permit) = semaphore.clone().try_acquire_owned() {
        return Ok(permit);
    }
    match timeout(ACQUIRE_TIMEOUT, semaphore.clone().acquire_owned()).await {
        Ok(permit) => permit.map_err(|error| AdapterError::Unavailable(error.into())),
        Err(error) => Err(AdapterError::Unavailable(error.into())),
    }
}

/// Connections of the adapter's that are used alike.
///
/// sqlx's pool sends two messages to a connection's thread for each use, the work and a ping, and takes the connection
/// that was idle longest, whose page cache is coldest.
pub(super) struct Lane {
    options: SqliteConnectOptions,
    permits: Arc<Semaphore>,
    idle: Mutex<Vec<Open>>,
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lane").field("file", &self.options.get_filename()).finish_non_exhaustive()
    }
}

/// An open connection.
struct Open {
    connection: SqliteConnection,
    /// Whether its statement is cancelled.
    cancelled: Arc<AtomicBool>,
}

impl Open {
    async fn new(mut connection: SqliteConnection) -> sqlx::Result<Self> {
        let cancelled = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&cancelled);
        let mut handle = connection.lock_handle().await?;
        handle.set_progress_handler(INSTRUCTIONS_BETWEEN_CHECKS, move || !flag.load(Ordering::Relaxed));
        drop(handle);
        Ok(Self { connection, cancelled })
    }
}

impl Lane {
    /// At most `limit` connections, of which one may be open.
    fn new(options: SqliteConnectOptions, limit: usize, open: Option<Open>) -> Arc<Self> {
        Arc::new(Self {
            options,
            permits: Arc::new(Semaphore::new(limit)),
            idle: Mutex::new(open.into_iter().collect()),
        })
    }

    async fn lease(self: &Arc<Self>) -> Result<Lease, AdapterError> {
        let permit = permit(&self.permits).await?;
        let open = match self.take() {
            Some(open) => open,
            None => Open::new(self.options.connect().await.map_err(general)?).await.map_err(general)?,
        };
        Ok(Lease::Own(OwnLease { lane: self.clone(), open: Some(open), permit: Some(permit) }))
    }

    fn take(&self) -> Option<Open> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn put(&self, open: Open) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(open);
    }

    /// Takes a connection back once its cancelled statement has ended.
    async fn recover(self: Arc<Self>, mut open: Open) {
        let lives = open.connection.ping().await.is_ok();
        // A transaction is rolled back by now; where that failed, the connection is closed.
        if lives && !open.connection.is_in_transaction() {
            open.cancelled.store(false, Ordering::Relaxed);
            self.put(open);
        }
        self.permits.add_permits(1);
    }
}

/// A connection in use. Unless it is [released](Self::release), dropping it cancels its statement.
pub(in crate::storage::sql) enum Lease {
    Own(OwnLease),
    Pool(PoolConnection<sqlx::Sqlite>, #[expect(dead_code, reason = "held until the lease ends")] OwnedSemaphorePermit),
}

impl Lease {
    async fn of_pool(pool: &SqlitePool, permits: &Arc<Semaphore>) -> Result<Self, AdapterError> {
        let permit = permit(permits).await?;
        Ok(Self::Pool(pool.acquire().await.map_err(general)?, permit))
    }

    /// Releases the connection to the next use: it has no work left.
    pub(super) fn release(self) {
        if let Self::Own(mut lease) = self
            && let Some(open) = lease.open.take()
        {
            lease.lane.put(open);
        }
    }
}

impl Deref for Lease {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        match self {
            Self::Own(lease) => &lease.open.as_ref().expect(HELD).connection,
            Self::Pool(connection, _) => connection,
        }
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        match self {
            Self::Own(lease) => &mut lease.open.as_mut().expect(HELD).connection,
            Self::Pool(connection, _) => connection,
        }
    }
}

const HELD: &str = "a lease holds its connection until it is released or dropped";

/// A connection of a [`Lane`] in use.
pub(in crate::storage::sql) struct OwnLease {
    lane: Arc<Lane>,
    open: Option<Open>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for OwnLease {
    fn drop(&mut self) {
        let (Some(open), Some(permit)) = (self.open.take(), self.permit.take()) else { return };
        open.cancelled.store(true, Ordering::Relaxed);
        // Without a runtime, the connection is not needed again.
        if let Ok(runtime) = Handle::try_current() {
            permit.forget();
            runtime.spawn(Arc::clone(&self.lane).recover(open));
        }
    }
}

#[cfg(test)]
mod tests {
    use sqlx::sqlite::SqlitePoolOptions;
    use tokio::time::timeout;

    use super::*;

    const READERS: u8 = 3;

    /// Holds every connection that readers can have, and acquires that of the writer.
    async fn write_beside_readers(connections: &SqliteConnections, readers: u8) {
        let mut held = Vec::new();
        for _ in 0..readers {
            held.push(connections.reader().await.unwrap());
        }
        assert!(timeout(Duration::from_millis(50), connections.reader()).await.is_err(), "every reader is in use");
        let writer = timeout(Duration::from_secs(1), connections.writer()).await;
        writer.expect("the writer does not wait for readers").unwrap().release();
    }

    #[tokio::test]
    async fn busy_readers_do_not_hold_up_the_writer_of_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new().filename(directory.path().join("a.db")).create_if_missing(true);
        let open = options.connect().await.unwrap();
        let connections = SqliteConnections::to_file(options, open, READERS.into()).await.unwrap();
        write_beside_readers(&connections, READERS).await;
    }

    #[tokio::test]
    async fn busy_readers_do_not_hold_up_the_writer_of_a_pool() {
        let directory = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new().filename(directory.path().join("a.db")).create_if_missing(true);
        let pool = SqlitePoolOptions::new().max_connections(READERS.into()).connect_with(options).await.unwrap();
        write_beside_readers(&SqliteConnections::of_pool(pool), READERS - 1).await;
    }
}
