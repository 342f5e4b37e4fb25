//! [`Connections`]: several readers and one writer of a file.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{ConnectOptions, Connection, Executor};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::dialect::{Sqlite, bind};
use super::error::general;
use crate::model::adapter_error::AdapterError;
use crate::storage::sql::driver::Driver;
use crate::storage::sql::source::Each;
use crate::storage::sql::statement::Statement;

/// How long a request waits for a connection, and a writer for its permit.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// The number of SQLite's instructions, a fraction of a millisecond, between two checks whether a statement is
/// cancelled.
const INSTRUCTIONS_BETWEEN_CHECKS: i32 = 10_000;

/// The connections of an adapter.
#[derive(Debug)]
pub(in crate::storage::sql) struct Connections {
    source: Source,
    /// The permit to write: SQLite has one writer at a time. Writers queue here in order, instead of polling the lock
    /// within SQLite, each on another connection.
    writer: Semaphore,
}

#[derive(Debug)]
enum Source {
    Own(Arc<Own>),
    Pool(SqlitePool),
}

impl Connections {
    /// At most `limit` connections to a database; the first one is open.
    pub(super) async fn new(
        options: SqliteConnectOptions,
        first: SqliteConnection,
        limit: usize,
    ) -> Result<Self, AdapterError> {
        let first = Open::new(first).await.map_err(general)?;
        let own = Own { options, permits: Semaphore::new(limit), idle: Mutex::new(vec![first]) };
        Ok(Self::with_source(Source::Own(Arc::new(own))))
    }

    /// The connections of a pool.
    pub(super) fn of_pool(pool: SqlitePool) -> Self {
        Self::with_source(Source::Pool(pool))
    }

    fn with_source(source: Source) -> Self {
        Self { source, writer: Semaphore::new(1) }
    }

    /// A connection to read.
    pub(super) async fn reader(&self) -> Result<Lease<'_>, AdapterError> {
        self.lease(None).await
    }

    /// A connection to write, with the permit.
    pub(super) async fn writer(&self) -> Result<Lease<'_>, AdapterError> {
        let permit = permit(&self.writer).await?;
        self.lease(Some(permit)).await
    }

    async fn lease<'a>(&'a self, permit: Option<SemaphorePermit<'a>>) -> Result<Lease<'a>, AdapterError> {
        let connection = match &self.source {
            Source::Own(own) => Leased::Own(OwnLease::new(own).await?),
            Source::Pool(pool) => Leased::Pool(pool.acquire().await.map_err(general)?),
        };
        Ok(Lease { connection, _permit: permit })
    }
}

async fn permit(semaphore: &Semaphore) -> Result<SemaphorePermit<'_>, AdapterError> {
    if let Ok(permit) = semaphore.try_acquire() {
        return Ok(permit);
    }
    match timeout(ACQUIRE_TIMEOUT, semaphore.acquire()).await {
        Ok(permit) => permit.map_err(|error| AdapterError::Unavailable(error.into())),
        Err(error) => Err(AdapterError::Unavailable(error.into())),
    }
}

/// A pool of the adapter's.
///
/// sqlx's pool sends two messages to a connection's thread for each use, the work and a ping, and takes the connection
/// that was idle longest, whose page cache is coldest.
struct Own {
    options: SqliteConnectOptions,
    permits: Semaphore,
    idle: Mutex<Vec<Open>>,
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Own").field("file", &self.options.get_filename()).finish_non_exhaustive()
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

impl Own {
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

/// A connection, until it is dropped.
#[derive(Debug)]
pub(super) struct Lease<'a> {
    connection: Leased<'a>,
    _permit: Option<SemaphorePermit<'a>>,
}

#[derive(Debug)]
enum Leased<'a> {
    Own(OwnLease<'a>),
    Pool(PoolConnection<sqlx::Sqlite>),
}

impl Lease<'_> {
    /// Sets whether the connection is idle. When the lease of one that is not is dropped, its statement is cancelled.
    pub(super) fn set_idle(&mut self, idle: bool) {
        if let Leased::Own(lease) = &mut self.connection {
            lease.is_idle = idle;
        }
    }

    /// Runs a statement to its end; the rows.
    pub(super) async fn all(&mut self, statement: Statement<Sqlite>) -> sqlx::Result<Vec<SqliteRow>> {
        self.set_idle(false);
        let rows = Sqlite::all(self, statement).await;
        self.set_idle(ended(&rows));
        rows
    }

    /// Reads one row, if there is one.
    pub(super) async fn first(&mut self, statement: Statement<Sqlite>) -> sqlx::Result<Option<SqliteRow>> {
        self.set_idle(false);
        let row = first(self, statement).await;
        self.set_idle(ended(&row));
        row
    }

    /// Passes on each row as it is read.
    pub(super) async fn each(
        &mut self,
        statement: Statement<Sqlite>,
        each: Each<'_, Sqlite>,
    ) -> Result<(), AdapterError> {
        self.set_idle(false);
        Sqlite::each(self, statement, each).await?;
        self.set_idle(true);
        Ok(())
    }
}

/// Whether the connection is idle after this: the statement ended, or SQLite refused it.
fn ended<T>(result: &sqlx::Result<T>) -> bool {
    matches!(result, Ok(_) | Err(sqlx::Error::Database(_)))
}

/// Reads one row, if there is one; not for a change, which is run to its end.
pub(super) async fn first(
    connection: &mut SqliteConnection,
    statement: Statement<Sqlite>,
) -> sqlx::Result<Option<SqliteRow>> {
    connection.fetch_optional(sqlx::query_with(statement.text, bind(statement.arguments)?)).await
}

impl Deref for Lease<'_> {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        match &self.connection {
            Leased::Own(lease) => &lease.open.as_ref().expect(HELD).connection,
            Leased::Pool(connection) => connection,
        }
    }
}

impl DerefMut for Lease<'_> {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        match &mut self.connection {
            Leased::Own(lease) => &mut lease.open.as_mut().expect(HELD).connection,
            Leased::Pool(connection) => connection,
        }
    }
}

const HELD: &str = "a lease holds its connection until it is dropped";

struct OwnLease<'a> {
    own: &'a Arc<Own>,
    open: Option<Open>,
    permit: Option<SemaphorePermit<'a>>,
    is_idle: bool,
}

impl<'a> OwnLease<'a> {
    async fn new(own: &'a Arc<Own>) -> Result<Self, AdapterError> {
        let permit = permit(&own.permits).await?;
        let open = match own.take() {
            Some(open) => open,
            None => Open::new(own.options.connect().await.map_err(general)?).await.map_err(general)?,
        };
        Ok(Self { own, open: Some(open), permit: Some(permit), is_idle: false })
    }
}

impl fmt::Debug for OwnLease<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnLease").field("own", &self.own).field("is_idle", &self.is_idle).finish_non_exhaustive()
    }
}

impl Drop for OwnLease<'_> {
    fn drop(&mut self) {
        let (Some(open), Some(permit)) = (self.open.take(), self.permit.take()) else { return };
        if self.is_idle {
            return self.own.put(open);
        }
        open.cancelled.store(true, Ordering::Relaxed);
        // Without a runtime, the connection is not needed again.
        if let Ok(runtime) = Handle::try_current() {
            permit.forget();
            runtime.spawn(Arc::clone(self.own).recover(open));
        }
    }
}
