//! [`ConnectionCache`]: a cache of connections in front of sqlx's pool.
//!
//! sqlx pings a connection each time it returns to its pool: a round trip to the server for each one that carries a
//! statement. A connection that is released to the cache goes to the next use without a ping, and returns to the pool
//! once it is older than [`MAX_AGE`].

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::Pool;
use sqlx::pool::PoolConnection;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::model::adapter_error::AdapterError;
use crate::storage::sql::driver::{Connection, Driver};
use crate::storage::sql::over_sqlx::DatabaseOf;
use crate::storage::status::StorageStatus;
use crate::storage::waiting_line::WaitingLine;

/// How long a connection stays out of its pool.
const MAX_AGE: Duration = Duration::from_secs(1);

/// The connections of a pool, those that were used last first.
pub(crate) struct ConnectionCache<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> {
    pool: Pool<DatabaseOf<Connection<D>>>,
    /// None for a shared pool: its other users would wait for the connections in the cache.
    cache: Option<Arc<Cache<D>>>,
}

/// Connections that are neither in use nor in the pool.
struct Cache<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> {
    /// A permit for each connection of the pool: its holder does not wait for the pool.
    permits: Arc<Semaphore>,
    line: WaitingLine,
    idle: Mutex<Vec<Cached<D>>>,
}

/// A connection, and when it left its pool.
struct Cached<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> {
    connection: PoolConnection<DatabaseOf<Connection<D>>>,
    since: Instant,
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Cache<D> {
    fn idle(&self) -> MutexGuard<'_, Vec<Cached<D>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> ConnectionCache<D> {
    /// The connections of a pool that the program uses too: none is cached.
    pub(crate) const fn shared(pool: Pool<DatabaseOf<Connection<D>>>) -> Self {
        Self { pool, cache: None }
    }

    /// The connections of a pool that has no other user.
    pub(crate) fn exclusive(pool: Pool<DatabaseOf<Connection<D>>>) -> Self {
        let permits = Arc::new(Semaphore::new(pool.options().get_max_connections() as usize));
        Self { pool, cache: Some(Arc::new(Cache { permits, line: WaitingLine::default(), idle: Mutex::default() })) }
    }

    /// The pool.
    #[cfg(feature = "postgres")]
    pub(crate) const fn pool(&self) -> &Pool<DatabaseOf<Connection<D>>> {
        &self.pool
    }

    /// How many connections are in use, of how many, and how many requests wait for one.
    pub(crate) fn status(&self) -> StorageStatus {
        let most = u64::from(self.pool.options().get_max_connections());
        match &self.cache {
            Some(cache) => {
                let busy = most.saturating_sub(cache.permits.available_permits() as u64);
                StorageStatus::new(busy, most, cache.line.waiting())
            }
            None => {
                StorageStatus::new(u64::from(self.pool.size()).saturating_sub(self.pool.num_idle() as u64), most, 0)
            }
        }
    }

    /// Returns the cached connections to the pool, which may close them.
    pub(crate) fn flush(&self) {
        // A connection returns to the pool in a task, which needs a runtime.
        if let Some(cache) = self.cache.as_ref().filter(|_| Handle::try_current().is_ok()) {
            drop(std::mem::take(&mut *cache.idle()));
        }
    }

    /// A connection, which returns to the pool when it is dropped, unless it is [released](Lease::release) to the cache.
    ///
    /// # Errors
    /// As [`Pool::acquire`].
    pub(crate) async fn acquire(&self) -> Result<Lease<D>, AdapterError> {
        let general = |error| match error {
            // A proxy that accepts and closes: there is no server behind it.
            sqlx::Error::Protocol(_) => AdapterError::Unavailable(error.into()),
            error => D::general(error),
        };
        let permit = match &self.cache {
            Some(cache) => Some((cache, self.permit(cache).await?)),
            None => None,
        };
        self.lease(permit).await.map_err(general)
    }

    /// A permit for a connection. Where the line of those that wait for one is too long, it is refused at once.
    async fn permit(&self, cache: &Cache<D>) -> Result<OwnedSemaphorePermit, AdapterError> {
        if let Ok(permit) = cache.permits.clone().try_acquire_owned() {
            return Ok(permit);
        }
        let place = cache.line.enter()?;
        let permit = timeout(self.pool.options().get_acquire_timeout(), cache.permits.clone().acquire_owned()).await;
        let permit = permit.map_err(|_| D::general(sqlx::Error::PoolTimedOut))?;
        place.served();
        permit.map_err(|_| D::general(sqlx::Error::PoolClosed))
    }

    async fn lease(&self, permit: Option<(&Arc<Cache<D>>, OwnedSemaphorePermit)>) -> sqlx::Result<Lease<D>> {
        let Some((cache, permit)) = permit else {
            return Ok(Lease { cached: Cached::new(self.pool.acquire().await?), permit: None });
        };
        let idle = cache.idle().pop().filter(|cached| cached.since.elapsed() < MAX_AGE);
        let cached = match idle {
            Some(cached) => cached,
            None => {
                // The others are older.
                self.flush();
                Cached::new(self.pool.acquire().await?)
            }
        };
        Ok(Lease { cached, permit: Some((cache.clone(), permit)) })
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Cached<D> {
    fn new(connection: PoolConnection<DatabaseOf<Connection<D>>>) -> Self {
        Self { connection, since: Instant::now() }
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> fmt::Debug for ConnectionCache<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pool.fmt(f)
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Drop for ConnectionCache<D> {
    fn drop(&mut self) {
        self.flush();
        if let Some(cache) = &self.cache {
            cache.idle().drain(..).for_each(|cached| drop(cached.connection.detach()));
        }
    }
}

/// A connection in use.
pub(crate) struct Lease<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> {
    cached: Cached<D>,
    permit: Option<(Arc<Cache<D>>, OwnedSemaphorePermit)>,
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Lease<D> {
    /// Releases the connection to the cache: it has no work left, not even a transaction to roll back.
    pub(crate) fn release(self) {
        if let Some((cache, permit)) = self.permit
            && self.cached.since.elapsed() < MAX_AGE
        {
            cache.idle().push(self.cached);
            drop(permit);
        }
    }
}

#[cfg(feature = "migrations")]
impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Lease<D> {
    /// Removes the connection from its pool.
    pub(crate) fn detach(self) -> Connection<D> {
        self.cached.connection.detach()
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Deref for Lease<D> {
    type Target = Connection<D>;

    fn deref(&self) -> &Connection<D> {
        &self.cached.connection
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> DerefMut for Lease<D> {
    fn deref_mut(&mut self) -> &mut Connection<D> {
        &mut self.cached.connection
    }
}
