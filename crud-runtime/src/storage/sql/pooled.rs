//! [`Pooled`]: connections to a server.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolOptions;
use sqlx::{Connection as _, Database, Pool};
use tokio::time::sleep;

use super::driver::{Connection, DatabaseRow};
use super::pool::connection_cache::{ConnectionCache, Lease};
use super::pool::statement_timeout::StatementTimeout;
use super::schema::Schema;
use super::schema::plan::plan;
use super::source::{Each, Source};
use super::statement::Statement;
use super::write;
use super::write::WriteResult;
use super::write::group_commit::{GroupCommit, Route};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::adapter::BoxFuture;
use crate::storage::migrate_error::MigrateError;
#[cfg(feature = "migrations")]
use crate::storage::migrations::Migrations;
use crate::storage::write::{Write, WriteWhere};

/// How many connections a program has.
const CONNECTIONS: u32 = 10;

/// How long a request waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a connection is believed in without a word from it.
const IDLE: Duration = Duration::from_secs(30);

/// How many prepared statements a connection keeps: the texts of lists differ by filters and order.
pub(super) const STATEMENTS: usize = 250;

/// Whether a URL says how many prepared statements a connection keeps.
pub(super) fn says_how_many_are_cached(url: &str) -> bool {
    let parameters = url.split_once('?').map_or("", |(_, parameters)| parameters);
    url::form_urlencoded::parse(parameters.as_bytes()).any(|(key, _)| key == "statement-cache-capacity")
}

/// What a pool is like that a service makes for itself, whose connections are told this limit.
pub(super) fn pool_options<D: Database>(timeout: Option<StatementTimeout>) -> PoolOptions<D> {
    PoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // Each use ends with a look at the connection already.
        .test_before_acquire(false)
        .before_acquire(move |connection: &mut D::Connection, state| {
            let outdated = timeout.as_ref().is_some_and(|timeout| timeout.is_newer_than(state.age));
            Box::pin(async move {
                if state.idle_for > IDLE {
                    connection.ping().await?;
                }
                Ok(!outdated)
            })
        })
}

/// How often a write is done again at most.
const RETRIES: u32 = 6;

/// About how long the first retry waits; each further one waits twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(4);

/// An engine that is a server, whose writers are many.
pub(super) trait Server: Schema {
    /// Whether what failed may succeed when it is done again: other writers were in its way, and it left nothing
    /// behind.
    fn is_conflict(error: &AdapterError) -> bool;

    /// How a transaction begins with the changes of several requests, in which none of them waits long for a lock;
    /// `None` where each makes its own.
    const BEGIN_GROUP: Option<&'static str>;

    /// What about the database itself does not fit, and about the names that it would have to have.
    fn unfit<'a>(
        connection: &'a mut Connection<Self>,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, sqlx::Result<Vec<String>>>;

    /// Creates what is missing, while other servers that start at once wait. What does not fit was looked for.
    fn create<'a>(
        connection: &'a mut Connection<Self>,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<(), MigrateError>>;

    /// What lets a connection take the time that a change of a large table takes, and the turn of another server;
    /// and what waits for that turn, where the migrator does not.
    #[cfg(feature = "migrations")]
    const PATIENCE: &'static str;

    /// Written migrations, on a pool's connections.
    #[cfg(feature = "migrations")]
    fn migrations(pool: &Pooled<Self>) -> &dyn Migrations;
}

/// Connections to a server that sqlx pools.
pub(super) struct Pooled<E: Server> {
    connections: Arc<ConnectionCache<E::Database>>,
    group_commit: Option<GroupCommit<E>>,
}

impl<E: Server> Pooled<E> {
    /// Those of a pool of the program's.
    pub(super) fn new(pool: Pool<E::Database>) -> Self {
        Self::of(ConnectionCache::shared(pool))
    }

    /// Those of a pool that nobody else has.
    pub(super) fn exclusive(pool: Pool<E::Database>) -> Self {
        Self::of(ConnectionCache::exclusive(pool))
    }

    fn of(connections: ConnectionCache<E::Database>) -> Self {
        let connections = Arc::new(connections);
        Self { group_commit: GroupCommit::new(&connections), connections }
    }

    /// The pool.
    #[cfg(feature = "postgres")]
    pub(super) fn pool(&self) -> &Pool<E::Database> {
        self.connections.pool()
    }

    /// Returns the cached connections to the pool, which may close them.
    pub(super) fn flush(&self) {
        self.connections.flush();
    }

    pub(super) async fn connection(&self) -> Result<Lease<'_, E::Database>, AdapterError> {
        self.connections.acquire().await.map_err(E::general)
    }
}

impl<E: Server> fmt::Debug for Pooled<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.connections.fmt(f)
    }
}

impl<E: Server> Source for Pooled<E> {
    type Driver = E;

    const PING: &'static str = "SELECT 1";

    async fn all(&self, statement: Statement<E>) -> Result<Vec<DatabaseRow<E>>, AdapterError> {
        let mut connection = self.connection().await?;
        let rows = E::all(&mut connection, statement).await.map_err(E::general)?;
        connection.release();
        Ok(rows)
    }

    async fn first(&self, statement: Statement<E>) -> Result<Option<DatabaseRow<E>>, AdapterError> {
        self.all(statement).await.map(|rows| rows.into_iter().next())
    }

    async fn each(&self, statement: Statement<E>, each: Each<'_, E>) -> Result<(), AdapterError> {
        let mut connection = self.connection().await?;
        E::each(&mut connection, statement, each).await?;
        connection.release();
        Ok(())
    }

    async fn change(&self, resource: &'static Descriptor, write: &Write<'_>) -> Result<WriteResult<E>, AdapterError> {
        let route = match &self.group_commit {
            Some(group_commit) => group_commit.join(resource, write).await?,
            None => Route::Alone(None),
        };
        let _permit = match route {
            Route::Alone(permit) => permit,
            Route::Made(change) => return Ok(WriteResult::of_one(change)),
        };
        let mut retries = 0..RETRIES;
        loop {
            let mut connection = self.connection().await?;
            let changed = write::run::<E>(&mut connection, resource, write).await;
            match &changed {
                Ok(changed) if changed.is_committed() => connection.release(),
                // On its way back to the pool a transaction is rolled back.
                _ => drop(connection),
            }
            match (changed, retries.next()) {
                (Err(error), Some(retry)) if E::is_conflict(&error) => sleep(wait(retry)).await,
                (changed, _) => return changed,
            }
        }
    }

    async fn change_where(&self, resource: &'static Descriptor, write: WriteWhere<'_>) -> Result<u64, AdapterError> {
        let mut retries = 0..RETRIES;
        loop {
            let mut connection = self.connection().await?;
            let count = write::run_where::<E>(&mut connection, resource, &write).await;
            drop(connection);
            match (count, retries.next()) {
                (Err(error), Some(retry)) if E::is_conflict(&error) => sleep(wait(retry)).await,
                (count, _) => return count,
            }
        }
    }

    async fn migrate(&self, resources: &[&'static Descriptor]) -> Result<(), MigrateError> {
        let mut connection = self.connection().await?;
        // Where nothing is missing, nothing is locked: a role that may create nothing will do.
        if planned::<E>(&mut connection, resources).await?.is_empty() {
            return Ok(());
        }
        E::create(&mut connection, resources).await
    }

    #[cfg(feature = "migrations")]
    fn migrations(&self) -> &dyn Migrations {
        E::migrations(self)
    }

    async fn plan(&self, resources: &[&'static Descriptor]) -> Result<Vec<String>, MigrateError> {
        planned::<E>(&mut *self.connection().await?, resources).await
    }
}

async fn planned<E: Server>(
    connection: &mut Connection<E>,
    resources: &[&'static Descriptor],
) -> Result<Vec<String>, MigrateError> {
    let unfit = E::unfit(connection, resources).await.map_err(E::general)?;
    plan::<E>(connection, resources, unfit).await
}

/// Between half of the time and one and a half, so that those who met do not meet again.
fn wait(retry: u32) -> Duration {
    let random = RandomState::new().hash_one(retry) % 1_000;
    FIRST_WAIT * 2_u32.pow(retry) * (500 + u32::try_from(random).unwrap_or_default()) / 1_000
}
