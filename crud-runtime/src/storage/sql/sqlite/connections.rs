//! The connections to a database: one at a time to write, several to read.

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

/// How long a request waits for a connection, or for its turn to write.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// How many steps of SQLite's machine, a fraction of a millisecond, may follow after a statement is given
/// up.
const STEPS_BETWEEN_CHECKS: i32 = 10_000;

/// The connections of an adapter.
#[derive(Debug)]
pub(in crate::storage::sql) struct Connections {
    source: Source,
    /// SQLite has one writer at a time. Writers queue here in order, instead of sleeping and trying
    /// again within SQLite, each in a connection of its own.
    writer: Semaphore,
}

#[derive(Debug)]
enum Source {
    Own(Arc<Own>),
    Pool(SqlitePool),
}

impl Connections {
    /// So many connections to a database, the first of which is open.
    pub(super) async fn new(
        options: SqliteConnectOptions,
        first: SqliteConnection,
        limit: usize,
    ) -> Result<Self, AdapterError> {
        let first = Open::new(first).await.map_err(general)?;
        let own = Own { options, permits: Semaphore::new(limit), idle: Mutex::new(vec![first]) };
        Ok(Self::of(Source::Own(Arc::new(own))))
    }

    /// The connections of a pool.
    pub(super) fn of_pool(pool: SqlitePool) -> Self {
        Self::of(Source::Pool(pool))
    }

    fn of(source: Source) -> Self {
        Self { source, writer: Semaphore::new(1) }
    }

    /// A connection to read by.
    pub(super) async fn reader(&self) -> Result<Lease<'_>, AdapterError> {
        self.lease(None).await
    }

    /// A connection to write by, when it is the caller's turn.
    pub(super) async fn writer(&self) -> Result<Lease<'_>, AdapterError> {
        let turn = permit(&self.writer).await?;
        self.lease(Some(turn)).await
    }

    async fn lease<'a>(&'a self, turn: Option<SemaphorePermit<'a>>) -> Result<Lease<'a>, AdapterError> {
        let connection = match &self.source {
            Source::Own(own) => Leased::Own(OwnLease::new(own).await?),
            Source::Pool(pool) => Leased::Pool(pool.acquire().await.map_err(general)?),
        };
        Ok(Lease { connection, _turn: turn })
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

/// Connections that belong to the adapter.
///
/// sqlx's own pool asks a connection's thread twice for each use, once for the work and once whether the
/// connection still lives, and hands out the connection that was idle longest, whose cache is coldest.
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
    /// Whether nobody waits any more for what it does.
    given_up: Arc<AtomicBool>,
}

impl Open {
    async fn new(mut connection: SqliteConnection) -> sqlx::Result<Self> {
        let given_up = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&given_up);
        let mut handle = connection.lock_handle().await?;
        handle.set_progress_handler(STEPS_BETWEEN_CHECKS, move || !flag.load(Ordering::Relaxed));
        drop(handle);
        Ok(Self { connection, given_up })
    }
}

impl Own {
    fn take(&self) -> Option<Open> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn put(&self, open: Open) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(open);
    }

    /// Takes a connection back whose last statement was given up, when it has ended.
    async fn take_back(self: Arc<Self>, mut open: Open) {
        let lives = open.connection.ping().await.is_ok();
        // A transaction is rolled back by now; if that failed, the connection is of no use.
        if lives && !open.connection.is_in_transaction() {
            open.given_up.store(false, Ordering::Relaxed);
            self.put(open);
        }
        self.permits.add_permits(1);
    }
}

/// A connection, until it is dropped.
#[derive(Debug)]
pub(super) struct Lease<'a> {
    connection: Leased<'a>,
    _turn: Option<SemaphorePermit<'a>>,
}

#[derive(Debug)]
enum Leased<'a> {
    Own(OwnLease<'a>),
    Pool(PoolConnection<sqlx::Sqlite>),
}

impl Lease<'_> {
    /// Says that the connection has done all that it was asked to, if that is so. Without that, what it
    /// still does is given up when the lease is dropped.
    pub(super) fn settle_if(&mut self, done: bool) {
        if let Leased::Own(lease) = &mut self.connection {
            lease.settled = done;
        }
    }

    /// Runs a statement to its end; the rows.
    pub(super) async fn all(&mut self, statement: Statement<Sqlite>) -> sqlx::Result<Vec<SqliteRow>> {
        self.settle_if(false);
        let rows = Sqlite::all(self, statement).await;
        self.settle_if(ended(&rows));
        rows
    }

    /// Reads one row, if there is one.
    pub(super) async fn first(&mut self, statement: Statement<Sqlite>) -> sqlx::Result<Option<SqliteRow>> {
        self.settle_if(false);
        let row = first(self, statement).await;
        self.settle_if(ended(&row));
        row
    }

    /// Hands on each row as it is read.
    pub(super) async fn each(
        &mut self,
        statement: Statement<Sqlite>,
        each: Each<'_, Sqlite>,
    ) -> Result<(), AdapterError> {
        self.settle_if(false);
        Sqlite::each(self, statement, each).await?;
        self.settle_if(true);
        Ok(())
    }
}

/// Whether nothing is under way after this: the statement came to its end, or SQLite refused it.
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
    settled: bool,
}

impl<'a> OwnLease<'a> {
    async fn new(own: &'a Arc<Own>) -> Result<Self, AdapterError> {
        let permit = permit(&own.permits).await?;
        let open = match own.take() {
            Some(open) => open,
            None => Open::new(own.options.connect().await.map_err(general)?).await.map_err(general)?,
        };
        Ok(Self { own, open: Some(open), permit: Some(permit), settled: false })
    }
}

impl fmt::Debug for OwnLease<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnLease").field("own", &self.own).field("settled", &self.settled).finish_non_exhaustive()
    }
}

impl Drop for OwnLease<'_> {
    fn drop(&mut self) {
        let (Some(open), Some(permit)) = (self.open.take(), self.permit.take()) else { return };
        if self.settled {
            return self.own.put(open);
        }
        open.given_up.store(true, Ordering::Relaxed);
        // Without a runtime nobody will need the connection again.
        if let Ok(runtime) = Handle::try_current() {
            permit.forget();
            runtime.spawn(Arc::clone(self.own).take_back(open));
        }
    }
}
