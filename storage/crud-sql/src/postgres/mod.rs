//! PostgreSQL, through sqlx.

mod catalogue;
mod describe;
mod dialect;
mod engine;
mod error;
#[cfg(feature = "testing")]
pub mod fuzzing;
mod group_reads;
mod optimistic;
mod placeholder;
mod search;
mod server;
mod session;
mod session_reads;
mod tables;
mod value;

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::PgPool;

pub(super) use self::dialect::Postgres;
use self::group_reads::GroupReads;
use self::server::connect::{self, Opened};
use self::server::position::Positions;
use self::server::primary::PrimaryWatch;
use self::server::synchronous::CommitWaits;
use self::session::PostgresSession;
use super::connections::{self, Connections};
use super::driver::Record;
use super::facts::Facts;
use super::learning;
use super::pool::connection_cache::{ConnectionCache, cached_connections};
use super::pool::statement_timeout::StatementTimeout;
use super::slow_statements::SlowStatements;
use super::write::WriteResult;
use super::write::group_commit::{CommitPath, GroupCommit};
use crate::adapter::SqlAdapter;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::storage::adapter::Adapter;
use crate::storage::capabilities::Capabilities;
use crate::storage::future::AdapterFuture;
use crate::storage::position::Position;
use crate::storage::session_variables::SessionVariables;
use crate::storage::status::StorageStatus;
use crate::storage::write::Write;

/// Begins a group commit, in which no change waits long for a lock.
const BEGIN_GROUP: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = 50";

/// Storage in PostgreSQL, version 13 or later, and in databases that speak its protocol and its SQL.
///
/// ```no_run
/// use crud_runtime::adapter::PostgresAdapter;
///
/// # async fn open() -> Result<(), crud_runtime::adapter::AdapterError> {
/// let adapter = PostgresAdapter::connect("postgres://shop:secret@localhost/shop").await?;
/// # Ok(()) }
/// ```
///
/// # How values are stored
/// | Kind | Column |
/// |---|---|
/// | `bool` | `boolean` |
/// | `i16`, `i32`, `i64` | `smallint`, `integer`, `bigint` |
/// | `u32` | `bigint`, with a CHECK |
/// | `f32`, `f64` | `real`, `double precision` |
/// | text, enums | `text COLLATE "C"`, of enums with a CHECK |
/// | dates, times, UUIDs | `timestamptz`, `timestamp`, `date`, `time`, `uuid` |
/// | decimals | `numeric(precision, scale)` |
/// | JSON | `jsonb`, which keeps neither the order of keys nor how a number was written; immutable: `json` |
/// | lists | `text[]`, an array of the type |
/// | bytes | `bytea` |
///
/// A table that was made elsewhere is used as it is when its columns have these types, or wider ones such as
/// `bigint` for an `i32`, and those that are sorted or filtered by compare by code point. What is read is
/// checked then: a value that its column cannot have, such as `infinity`, is [`AdapterError::Corrupt`].
pub type PostgresAdapter = SqlAdapter<PostgresConnections>;

/// The connections of [`PostgresAdapter`].
#[derive(Debug)]
pub struct PostgresConnections {
    connections: Arc<ConnectionCache<Postgres>>,
    group_commit: GroupCommit<Postgres>,
    group_reads: GroupReads,
    /// `None` where the pool or the URL sets the timeout.
    statement_timeout: Option<StatementTimeout>,
    positions: Positions,
    /// The watch on the primary among several servers; it ends with the adapter.
    primary_watch: Option<PrimaryWatch>,
    slow: Arc<SlowStatements>,
    facts: Arc<Facts>,
}

impl PostgresAdapter {
    /// The capabilities of the adapter.
    #[doc(hidden)]
    pub const CAPABILITIES: Capabilities =
        connections::CAPABILITIES.with_replicas().with_group_commit().with_schemas().with_session_variables();

    /// Connects to a database by its URL: `postgres://user:password@host:5432/database`, with sqlx's parameters
    /// (`?sslmode=verify-full&sslrootcert=ca.pem`, `?statement-cache-capacity=100`, `?options=…`).
    ///
    /// With several servers, `postgres://user@a:5432,b:5432/database` or `?host=a,b`, it connects to the primary, and
    /// to its successor within a second of a promotion. `?target_session_attrs=primary` refuses a standby.
    ///
    /// Up to ten connections; a request waits up to five seconds for one. Unless the URL has `options`, the
    /// server ends a statement after as long as a request may take (30 seconds unless
    /// `Limits::request_timeout` says otherwise) and the wait for a lock after five seconds.
    ///
    /// # Errors
    /// When the URL is not one of PostgreSQL's or the server cannot be reached.
    pub async fn connect(url: &str) -> Result<Self, AdapterError> {
        let opened = connect::connect(url).await?;
        Ok(Self { connections: PostgresConnections::opened(opened, Positions::written()) })
    }

    /// Opens a streaming replica, which need not be reachable yet: the first use connects.
    ///
    /// # Errors
    /// When the URL is not one of PostgreSQL's.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn replica(url: &str) -> Result<Self, AdapterError> {
        let mut replicas = Self::replicas(url)?;
        match (replicas.pop(), replicas.is_empty()) {
            (Some(replica), true) => Ok(replica),
            _ => Err(AdapterError::Other("the URL of a replica has several hosts: expected a URL for each".into())),
        }
    }

    /// Opens a replica on each host of a URL. The host that is the primary reports that it is not a replica, and is not
    /// read from.
    #[doc(hidden)]
    pub fn replicas(url: &str) -> Result<Vec<Self>, AdapterError> {
        let replica = |opened| Self { connections: PostgresConnections::opened(opened, Positions::replayed()) };
        Ok(connect::replicas(url)?.into_iter().map(replica).collect())
    }

    /// Uses an existing pool with the pool's own options. A `statement_timeout` and a `lock_timeout` are advised:
    /// without them a cancelled request holds its connection until the server is done.
    pub fn new(pool: PgPool) -> Self {
        let connections = ConnectionCache::shared(pool);
        Self { connections: PostgresConnections::over(connections, None, Positions::written()) }
    }
}

impl PostgresConnections {
    fn opened(opened: Opened, positions: Positions) -> Self {
        let Opened { pool, timeout, sets_timeout, hosts, synchronous, has_versions } = opened;
        let statement_timeout = sets_timeout.then(|| timeout.clone());
        let mut connections = ConnectionCache::exclusive(pool.clone());
        if hosts.is_some() {
            connections.allow_replacement();
        }
        connections.interrupt_by(Arc::new(CommitWaits::new(pool, synchronous)));
        let mut adapter = Self::over(connections, statement_timeout, positions);
        let watch = |hosts| PrimaryWatch::start(hosts, &adapter.connections, timeout, sets_timeout);
        adapter.primary_watch = hosts.map(watch);
        if !has_versions {
            adapter.facts.lack_versions();
        }
        adapter
    }

    fn over(
        connections: ConnectionCache<Postgres>,
        statement_timeout: Option<StatementTimeout>,
        positions: Positions,
    ) -> Self {
        let connections = Arc::new(connections);
        let group_commit = GroupCommit::new(&connections, BEGIN_GROUP);
        let group_reads = GroupReads::new(&connections);
        let (slow, facts) = (Arc::default(), Arc::default());
        Self { connections, group_commit, group_reads, statement_timeout, positions, primary_watch: None, slow, facts }
    }
}

impl Connections for PostgresConnections {
    type Driver = Postgres;

    const CAPABILITIES: Capabilities = PostgresAdapter::CAPABILITIES;

    cached_connections!();

    async fn change(
        &self,
        resource: &'static Descriptor,
        write: &Write<'_>,
    ) -> Result<WriteResult<Postgres>, AdapterError> {
        let effects = learning::effects(self, resource).await?;
        let _permit = match self.group_commit.join(resource, effects, write).await? {
            CommitPath::Alone(permit) => permit,
            CommitPath::Applied(change) => return Ok(WriteResult::of_one(change)),
        };
        connections::change(self, resource, write).await
    }

    async fn record(
        &self,
        resource: &'static Descriptor,
        id: &Key,
        tenant: Option<&Value>,
        sink: &mut dyn RowSink,
    ) -> Result<bool, AdapterError> {
        let Some(row) = self.group_reads.read(resource, (id, tenant)).await? else { return Ok(false) };
        sink.row(&Record::<Postgres>::new(resource, &row))?;
        Ok(true)
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        Some(Arc::new(PostgresSession::new(self, variables)))
    }

    fn position(&self) -> AdapterFuture<'_, Option<Position>> {
        Box::pin(self.connections.replacement().read(self.positions.read(self.connections.pool())))
    }

    fn status(&self) -> Option<StorageStatus> {
        Some(self.group_commit.sizes().add_to(self.connections.status()))
    }

    fn set_time_limit(&self, limit: Duration) {
        if let Some(timeout) = self.statement_timeout.as_ref().filter(|timeout| timeout.set(limit)) {
            connect::set_timeout(self.connections.pool(), timeout);
            self.connections.flush();
        }
    }
}
