//! [`PooledConnections`]: readers and the one writer on a program's own pool.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteConnection, SqlitePool};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::error::general;
use crate::model::adapter_error::AdapterError;

/// Time that a request waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// The connections of a pool. Writers queue for a single connection, instead of polling SQLite's lock on several.
/// Readers leave that one free.
#[derive(Debug)]
pub(super) struct PooledConnections {
    pool: SqlitePool,
    readers: Arc<Semaphore>,
    writer: Arc<Semaphore>,
}

impl PooledConnections {
    pub(super) fn new(pool: SqlitePool) -> Self {
        let readers = (pool.options().get_max_connections() as usize).saturating_sub(1).max(1);
        Self { pool, readers: Arc::new(Semaphore::new(readers)), writer: Arc::new(Semaphore::new(1)) }
    }

    /// A connection for reads.
    pub(super) async fn reader(&self) -> Result<Lease, AdapterError> {
        self.lease(&self.readers).await
    }

    /// The connection for writes.
    pub(super) async fn writer(&self) -> Result<Lease, AdapterError> {
        self.lease(&self.writer).await
    }

    async fn lease(&self, permits: &Arc<Semaphore>) -> Result<Lease, AdapterError> {
        let permit = permit(permits).await?;
        Ok(Lease { connection: self.pool.acquire().await.map_err(general)?, _permit: permit })
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

/// A connection in use.
pub(crate) struct Lease {
    connection: PoolConnection<sqlx::Sqlite>,
    _permit: OwnedSemaphorePermit,
}

impl Deref for Lease {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

#[cfg(test)]
mod tests {
    use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};

    use super::*;

    const READERS: u8 = 2;

    #[tokio::test]
    async fn busy_readers_do_not_hold_up_the_writer_of_a_pool() {
        let directory = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new().filename(directory.path().join("a.db")).create_if_missing(true);
        let pool =
            SqlitePoolOptions::new().max_connections(u32::from(READERS) + 1).connect_with(options).await.unwrap();
        let connections = PooledConnections::new(pool);
        let mut held = Vec::new();
        for _ in 0..READERS {
            held.push(connections.reader().await.unwrap());
        }
        assert!(timeout(Duration::from_millis(50), connections.reader()).await.is_err(), "every reader is in use");
        let writer = timeout(Duration::from_secs(1), connections.writer()).await;
        drop(writer.expect("the writer does not wait for readers").unwrap());
    }
}
