//! [`ConnectionCache`]: a cache of connections in front of sqlx's pool.
//!
//! sqlx pings a connection each time it returns to its pool, so that each statement costs a second round trip. A
//! connection that is released to the cache goes to the next use without a ping, and returns to the pool once it is
//! older than [`MAX_AGE`].
//!
//! Some connections are reserved for readers: all changes may hang, as in synchronous replication, while reads go on.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::{Connection as _, Pool};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;

use crate::TARGET;
use crate::driver::{Connection, Driver};
use crate::model::adapter_error::AdapterError;
use crate::over_sqlx::DatabaseOf;
use crate::replacement::Replacement;
use crate::storage::future::BoxFuture;
use crate::storage::status::StorageStatus;
use crate::wait_queue::WaitQueue;

/// Time after which a cached connection returns to its pool.
const MAX_AGE: Duration = Duration::from_secs(1);

/// Number of connections reserved for readers, in a pool that has some to spare.
const KEPT_FOR_READERS: usize = 2;

/// Time that an abandoned connection has to return to its pool before its statement is interrupted. Also the time limit
/// of each statement that then cleans the connection up.
const PATIENCE: Duration = Duration::from_millis(500);

/// Time limit of an attempt to interrupt an abandoned connection's statement.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(5);

/// Time after which an abandoned connection is closed. It is longer than the statement timeout, so that a server that
/// answers has ended the statement by then.
const HANGS: Duration = Duration::from_secs(35);

/// The connections of a pool, with the most recently used first.
pub(crate) struct ConnectionCache<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> {
    pool: Pool<DatabaseOf<Connection<D>>>,
    /// `None` for a pool that is shared with the program, which would have to wait for cached connections.
    cache: Option<Arc<Cache<D>>>,
    interrupt: Option<Arc<dyn Interrupt<D>>>,
    /// Time of the last replacement of the server; `None` for a server that is never replaced.
    replaced: Option<watch::Sender<Option<Instant>>>,
}

/// Connections that are neither in use nor in the pool.
struct Cache<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> {
    /// One permit for each connection of the pool, so that its holder need not wait for the pool.
    permits: Permits,
    /// Permits for writers, which hold one of `permits` too.
    writers: Permits,
    idle: Mutex<Idle<D>>,
}

/// The connections in the cache.
struct Idle<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> {
    connections: Vec<Cached<D>>,
    /// Time of the latest flush: older connections are not cached any more. One that was in use returns to its pool
    /// when it is released.
    flushed: Option<Instant>,
}

/// Permits, and the queue for them.
struct Permits {
    semaphore: Arc<Semaphore>,
    queue: WaitQueue,
}

impl Permits {
    fn new(number: usize) -> Self {
        Self { semaphore: Arc::new(Semaphore::new(number)), queue: WaitQueue::default() }
    }
}

/// Interrupts the statement of a request that has gone, through another connection to its server.
pub(crate) trait Interrupt<D: Driver>: fmt::Debug + Send + Sync + 'static {
    /// Gives a connection a name on its server; `None` where no name is needed.
    fn name<'a>(&'a self, connection: &'a mut Connection<D>) -> BoxFuture<'a, Result<Option<Arc<str>>, D::Error>>;

    /// Ends the statement that runs on the connection with this name, if one runs.
    fn interrupt(&self, name: Arc<str>) -> BoxFuture<'static, Result<(), D::Error>>;
}

/// An interrupt, with the name of the connection that it is for.
type Interruption<D> = (Arc<dyn Interrupt<D>>, Arc<str>);

/// A connection, and the time at which the pool was asked for it.
struct Cached<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> {
    connection: PoolConnection<DatabaseOf<Connection<D>>>,
    since: Instant,
    /// The interruption of the connection's statement, with the connection's name on the server.
    interruption: Option<Interruption<D>>,
    /// The replacement of the connection's server.
    replacement: Replacement,
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Cache<D> {
    fn idle(&self) -> MutexGuard<'_, Idle<D>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> ConnectionCache<D> {
    /// The connections of a pool that the program uses too: no connection is cached.
    pub(crate) const fn shared(pool: Pool<DatabaseOf<Connection<D>>>) -> Self {
        Self { pool, cache: None, interrupt: None, replaced: None }
    }

    /// The connections of a pool that has no other user.
    pub(crate) fn exclusive(pool: Pool<DatabaseOf<Connection<D>>>) -> Self {
        let most = pool.options().get_max_connections() as usize;
        let for_writers = if most > 2 * KEPT_FOR_READERS { most - KEPT_FOR_READERS } else { most };
        let idle = Mutex::new(Idle { connections: Vec::new(), flushed: None });
        let cache = Cache { permits: Permits::new(most), writers: Permits::new(for_writers), idle };
        Self { pool, cache: Some(Arc::new(cache)), interrupt: None, replaced: None }
    }

    /// Sets how a writer's statement is interrupted when its request has gone.
    #[cfg(feature = "postgres")]
    pub(crate) fn interrupt_by(&mut self, interrupt: Arc<dyn Interrupt<D>>) {
        self.interrupt = Some(interrupt);
    }

    /// Enables `replace`: another server may replace this one.
    #[cfg(feature = "postgres")]
    pub(crate) fn allow_replacement(&mut self) {
        self.replaced = Some(watch::Sender::default());
    }

    #[cfg(feature = "postgres")]
    pub(crate) const fn pool(&self) -> &Pool<DatabaseOf<Connection<D>>> {
        &self.pool
    }

    /// Status of the connections: their number, those in use, and the requests that wait for one.
    pub(crate) fn status(&self) -> StorageStatus {
        let most = u64::from(self.pool.options().get_max_connections());
        match &self.cache {
            Some(cache) => {
                let busy = most.saturating_sub(cache.permits.semaphore.available_permits() as u64);
                StorageStatus::new(busy, most, cache.permits.queue.waiting() + cache.writers.queue.waiting())
            }
            None => {
                StorageStatus::new(u64::from(self.pool.size()).saturating_sub(self.pool.num_idle() as u64), most, 0)
            }
        }
    }

    /// Returns the cached connections to the pool, which may close them. Connections in use follow when they are
    /// released.
    pub(crate) fn flush(&self) {
        if let Some(cache) = &self.cache {
            cache.idle().flushed = Some(Instant::now());
        }
        self.clear();
    }

    /// Closes the connections to a server that another one has replaced. Connections in use are closed too, with their
    /// statements: the old server may never answer.
    #[cfg(feature = "postgres")]
    pub(crate) fn replace(&self) {
        if let Some(replaced) = &self.replaced {
            replaced.send_replace(Some(Instant::now()));
        }
        self.flush();
    }

    /// Returns the cached connections to the pool.
    fn clear(&self) {
        // A connection returns to the pool in a task, which needs a runtime.
        if let (Some(cache), Ok(runtime)) = (&self.cache, Handle::try_current()) {
            let connections = std::mem::take(&mut cache.idle().connections);
            for cached in connections {
                runtime.spawn(put_back(cached, true));
            }
        }
    }

    /// A connection for reads, which returns to the pool when it is dropped, unless it is [released](Lease::release) to
    /// the cache.
    ///
    /// # Errors
    /// Errors of [`Pool::acquire`].
    pub(crate) async fn acquire(&self) -> Result<Lease<D>, AdapterError> {
        self.acquire_after(None).await
    }

    /// Acquires a connection for writes. The number of writers is limited, and the statement of a writer whose request
    /// has gone is interrupted.
    ///
    /// # Errors
    /// Errors of [`Pool::acquire`].
    pub(crate) async fn acquire_writer(&self) -> Result<Lease<D>, AdapterError> {
        let turn = match &self.cache {
            Some(cache) => Some(self.permit(&cache.writers).await?),
            None => None,
        };
        let mut lease = self.acquire_after(turn).await?;
        if let Some(interrupt) = self.interrupt.as_ref().filter(|_| lease.cached().interruption.is_none()) {
            let replacement = lease.replacement();
            let name = replacement.read(async { interrupt.name(&mut lease).await.map_err(D::general) }).await?;
            lease.cached().interruption = name.map(|name| (interrupt.clone(), name));
        }
        Ok(lease)
    }

    async fn acquire_after(&self, writer: Option<OwnedSemaphorePermit>) -> Result<Lease<D>, AdapterError> {
        let general = |error| match error {
            // A proxy accepted the connection and closed it: no server is behind it.
            sqlx::Error::Protocol(_) => AdapterError::Unavailable(error.into()),
            error => D::general(error),
        };
        let permit = match &self.cache {
            Some(cache) => Some((cache, self.permit(&cache.permits).await?)),
            None => None,
        };
        self.lease(permit, writer).await.map_err(general)
    }

    /// Acquires a permit. It is refused at once where the queue is too long.
    async fn permit(&self, permits: &Permits) -> Result<OwnedSemaphorePermit, AdapterError> {
        if let Ok(permit) = permits.semaphore.clone().try_acquire_owned() {
            return Ok(permit);
        }
        let place = permits.queue.enter()?;
        let permit =
            timeout(self.pool.options().get_acquire_timeout(), permits.semaphore.clone().acquire_owned()).await;
        let permit = permit.map_err(|_| D::general(sqlx::Error::PoolTimedOut))?;
        place.served();
        permit.map_err(|_| D::general(sqlx::Error::PoolClosed))
    }

    async fn lease(
        &self,
        permit: Option<(&Arc<Cache<D>>, OwnedSemaphorePermit)>,
        writer: Option<OwnedSemaphorePermit>,
    ) -> sqlx::Result<Lease<D>> {
        let Some((cache, permit)) = permit else {
            return Ok(Lease { cached: Some(self.open().await?), is_idle: false, permit: None, writer });
        };
        let idle = cache.idle().connections.pop().filter(|cached| cached.since.elapsed() < MAX_AGE);
        let cached = match idle {
            Some(cached) => cached,
            None => {
                // The other cached connections are older still.
                self.clear();
                self.open().await?
            }
        };
        Ok(Lease { cached: Some(cached), is_idle: false, permit: Some((cache.clone(), permit)), writer })
    }

    /// The next replacement of the server.
    pub(crate) fn replacement(&self) -> Replacement {
        let watched = self.replaced.as_ref().map(|replaced| Replacement::after(Instant::now(), replaced.subscribe()));
        watched.unwrap_or_default()
    }

    /// Acquires a connection from the pool, and starts over if the server is replaced meanwhile.
    async fn open(&self) -> sqlx::Result<Cached<D>> {
        loop {
            let since = Instant::now();
            let replacement = self.replacement();
            tokio::select! {
                biased;
                () = replacement.clone().happened() => {}
                connection = self.pool.acquire() => {
                    return Ok(Cached { connection: connection?, since, interruption: None, replacement });
                }
            }
        }
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> fmt::Debug for ConnectionCache<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pool.fmt(f)
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Drop for ConnectionCache<D> {
    fn drop(&mut self) {
        self.clear();
        if let Some(cache) = &self.cache {
            cache.idle().connections.drain(..).for_each(|cached| drop(cached.connection.detach()));
        }
    }
}

/// A connection in use. When it is dropped, its running statement is interrupted, where that is possible.
pub(crate) struct Lease<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> {
    /// `None` once the connection is released, detached or dropped.
    cached: Option<Cached<D>>,
    /// Whether the connection has no work left.
    is_idle: bool,
    permit: Option<(Arc<Cache<D>>, OwnedSemaphorePermit)>,
    writer: Option<OwnedSemaphorePermit>,
}

const IN_USE: &str = "the connection of a lease in use";

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Lease<D> {
    /// Releases the connection to the cache. It must have no work left, not even a transaction to roll back.
    pub(crate) fn release(mut self) {
        self.is_idle = true;
        if self.writer.is_some() {
            // A connection keeps buffers as large as its largest statement: sixteen megabytes for a batch.
            self.shrink_buffers();
        }
        let Some((cache, _)) = &self.permit else { return };
        let mut idle = cache.idle();
        let is_wanted =
            |since: Instant| since.elapsed() < MAX_AGE && idle.flushed.is_none_or(|flushed| since > flushed);
        if let Some(cached) = self.cached.take_if(|cached| is_wanted(cached.since)) {
            idle.connections.push(cached);
        }
    }

    /// The replacement of the connection's server.
    pub(crate) fn replacement(&self) -> Replacement {
        self.cached.as_ref().expect(IN_USE).replacement.clone()
    }

    fn cached(&mut self) -> &mut Cached<D> {
        self.cached.as_mut().expect(IN_USE)
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Drop for Lease<D> {
    fn drop(&mut self) {
        if let Some(cached) = self.cached.take()
            && let Ok(runtime) = Handle::try_current()
        {
            // If the permits were released now, another request would wait for the pool instead of taking a cached
            // connection.
            let permits = (self.permit.take(), self.writer.take());
            let returned = put_back(cached, self.is_idle);
            runtime.spawn(async move {
                returned.await;
                drop(permits);
            });
        }
    }
}

/// Returns a connection to its pool once its statement has ended, and interrupts the statement where that is possible.
/// The connection is closed if the statement does not end, or if its server is replaced.
async fn put_back<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>>(cached: Cached<D>, is_idle: bool) {
    let Cached { connection, interruption, replacement, .. } = cached;
    let mut closing = ClosedOnDrop(Some(connection));
    let returned = async move {
        // sqlx counts a transaction only once its `BEGIN` is answered. If that `BEGIN` was given up, sqlx rolls nothing
        // back, and the next user's changes would become part of the transaction: acknowledged and never committed.
        let is_clean = match &mut closing.0 {
            Some(connection) if !is_idle => {
                // Each savepoint that is open counts as a transaction.
                while D::is_in_transaction(connection) {
                    D::start_rollback(connection);
                }
                is_settled::<Connection<D>>(connection).await && abandon::<D>(connection).await
            }
            _ => true,
        };
        if let Some(mut connection) = closing.0.take_if(|_| is_clean) {
            // The future owns the connection, and closes it when it is dropped.
            drop(timeout(PATIENCE, connection.return_to_pool()).await);
        }
    };
    tokio::select! {
        biased;
        () = replacement.happened() => {}
        () = return_in_time(returned, interruption) => {}
    }
}

/// Reads the answers that a connection still waits for. Returns whether its server is still there. After a deadlock, a
/// server that has rolled back by itself refuses to roll back to savepoints; the connection is intact all the same.
async fn is_settled<C: sqlx::Connection>(connection: &mut C) -> bool {
    loop {
        match connection.flush().await {
            Ok(()) => return true,
            Err(sqlx::Error::Database(_)) => {}
            Err(_) => return false,
        }
    }
}

/// Ends the transaction that a connection may be in. Returns whether the server confirms that in time. After a
/// preparation was given up, the rest of its answer is read as the next answer, whose end may never come.
async fn abandon<D: Driver<Error = sqlx::Error>>(connection: &mut Connection<D>) -> bool {
    matches!(timeout(PATIENCE, D::abandon(connection)).await, Ok(Ok(true)))
}

/// A connection that is closed when it is dropped. The pool's `close_hard` would wait for the server to close an
/// encrypted connection first: `BufferedSocket::shutdown` of sqlx 0.9 flushes, which reads where there is nothing to
/// write.
struct ClosedOnDrop<DB: sqlx::Database>(Option<PoolConnection<DB>>);

impl<DB: sqlx::Database> Drop for ClosedOnDrop<DB> {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            drop(connection.detach());
        }
    }
}

/// Waits until a connection has returned to its pool, and interrupts its statement at intervals.
async fn return_in_time<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>>(
    returned: impl Future<Output = ()>,
    interruption: Option<Interruption<D>>,
) {
    let since = Instant::now();
    let mut returned = pin!(returned);
    while timeout(PATIENCE, &mut returned).await.is_err() {
        if since.elapsed() > HANGS {
            tracing::warn!(target: TARGET, "a connection whose request has gone is closed: its server does not respond");
            return;
        }
        if let Some((interrupt, name)) = &interruption {
            tracing::debug!(target: TARGET, "the statement of a request that has gone is interrupted");
            // The next round of the loop finds out whether the interruption worked. After a time-out, the connection is
            // closed: the late interruption could reach the statement of its next user.
            if timeout(INTERRUPT_TIMEOUT, interrupt.interrupt(name.clone())).await.is_err() {
                tracing::warn!(target: TARGET, "a connection whose request has gone is closed: its interruption is not answered");
                return;
            }
        }
    }
}

#[cfg(feature = "migrations")]
impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Lease<D> {
    /// Takes the connection out of its pool.
    pub(crate) fn detach(mut self) -> Connection<D> {
        self.cached.take().expect(IN_USE).connection.detach()
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> Deref for Lease<D> {
    type Target = Connection<D>;

    fn deref(&self) -> &Connection<D> {
        &self.cached.as_ref().expect(IN_USE).connection
    }
}

impl<D: Driver<Error = sqlx::Error, Connection: sqlx::Connection>> DerefMut for Lease<D> {
    fn deref_mut(&mut self) -> &mut Connection<D> {
        &mut self.cached().connection
    }
}

/// The items of [`Connections`](crate::connections::Connections) for an adapter whose `connections` are a
/// `ConnectionCache`. The adapter also has `facts` and `slow` statements.
macro_rules! cached_connections {
    () => {
        type Lease = $crate::pool::connection_cache::Lease<Self::Driver>;

        const IS_REMOTE: bool = true;

        async fn reader(&self) -> Result<Self::Lease, $crate::model::adapter_error::AdapterError> {
            self.connections.acquire().await
        }

        async fn writer(&self) -> Result<Self::Lease, $crate::model::adapter_error::AdapterError> {
            self.connections.acquire_writer().await
        }

        fn replacement(lease: &Self::Lease) -> $crate::replacement::Replacement {
            lease.replacement()
        }

        fn release(lease: Self::Lease) {
            lease.release();
        }

        #[cfg(feature = "migrations")]
        fn migrations(&self) -> Option<&dyn $crate::storage::migrations::Migrations> {
            let connections: &$crate::pool::connection_cache::ConnectionCache<Self::Driver> = &self.connections;
            Some(connections)
        }

        fn facts(&self) -> &::std::sync::Arc<$crate::facts::Facts> {
            &self.facts
        }

        fn slow_statements(&self) -> &$crate::slow_statements::SlowStatements {
            &self.slow
        }
    };
}
pub(crate) use cached_connections;
