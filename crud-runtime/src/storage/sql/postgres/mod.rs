//! PostgreSQL, through sqlx.

#[cfg(feature = "migrations")]
mod alter;
mod argument;
mod connect;
mod definition;
mod dialect;
mod engine;
mod error;
mod inspect;
mod numeric;
mod optimistic;
mod position;
mod row;
mod server;
mod types;
mod unnest;

use std::time::Duration;

use sqlx::postgres::PgPool;

pub(super) use self::dialect::Postgres;
use self::position::Positions;
use super::pool::pooled::Pooled;
use super::pool::statement_timeout::StatementTimeout;
use super::source::{self, Storage};
use crate::model::adapter_error::AdapterError;
use crate::storage::capabilities::Capabilities;
use crate::storage::future::BoxFuture;
#[cfg(feature = "migrations")]
use crate::storage::migrations::Migrations;
use crate::storage::position::Position;

/// Storage in PostgreSQL, version 13 or later, and in what speaks its protocol and its SQL.
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
/// | lists of texts | `text[]` |
/// | bytes | `bytea` |
///
/// A table that was made elsewhere is used as it is when its columns have these types, or wider ones such as
/// `bigint` for an `i32`, and those that are sorted or filtered by compare by code point. What is read is
/// checked then: a value that its column cannot have, such as `infinity`, is [`AdapterError::Corrupt`].
#[derive(Debug)]
pub struct PostgresAdapter {
    pool: Pooled<Postgres>,
    /// None where the pool or the URL sets it.
    statement_timeout: Option<StatementTimeout>,
    positions: Positions,
}

impl PostgresAdapter {
    /// Its capabilities.
    pub(crate) const CAPABILITIES: Capabilities = source::CAPABILITIES.with_replicas().with_group_commit();

    /// Connects to a database by its URL: `postgres://user:password@host:5432/database`, with sqlx's parameters
    /// (`?sslmode=verify-full&sslrootcert=ca.pem`, `?statement-cache-capacity=100`, `?options=…`).
    ///
    /// Up to ten connections; a request waits up to five seconds for one. Unless the URL has `options`, the
    /// server ends a statement after as long as a request may take (30 seconds unless
    /// [`Service::request_timeout`](crate::service::builder::Service::request_timeout) says otherwise) and the wait for a lock after
    /// five seconds.
    ///
    /// # Errors
    /// When the URL is not one of PostgreSQL's or the server cannot be reached.
    pub async fn connect(url: &str) -> Result<Self, AdapterError> {
        let (pool, statement_timeout) = connect::connect(url).await?;
        Ok(Self { pool: Pooled::exclusive(pool, server::SERVER), statement_timeout, positions: Positions::written() })
    }

    /// The same on a streaming replica, which may be away: the first use connects.
    ///
    /// # Errors
    /// When the URL is not one of PostgreSQL's.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn replica(url: &str) -> Result<Self, AdapterError> {
        let (pool, statement_timeout) = connect::connect_lazily(url)?;
        Ok(Self { pool: Pooled::exclusive(pool, server::SERVER), statement_timeout, positions: Positions::replayed() })
    }

    /// Uses a pool that is there already, with the options it has. A `statement_timeout` and a `lock_timeout`
    /// are advised: without them a cancelled request holds its connection until the server is done.
    pub fn new(pool: PgPool) -> Self {
        Self { pool: Pooled::shared(pool, server::SERVER), statement_timeout: None, positions: Positions::written() }
    }
}

impl Storage for PostgresAdapter {
    const CAPABILITIES: Capabilities = Self::CAPABILITIES;

    type Source = Pooled<Postgres>;

    fn source(&self) -> &Pooled<Postgres> {
        &self.pool
    }

    #[cfg(feature = "migrations")]
    fn migrations(&self) -> &dyn Migrations {
        &self.pool
    }

    fn position(&self) -> BoxFuture<'_, Result<Option<Position>, AdapterError>> {
        Box::pin(self.positions.read(self.pool.pool()))
    }

    fn set_time_limit(&self, limit: Duration) {
        if let Some(timeout) = self.statement_timeout.as_ref().filter(|timeout| timeout.set(limit)) {
            connect::set_timeout(self.pool.pool(), timeout);
            self.pool.flush();
        }
    }
}
