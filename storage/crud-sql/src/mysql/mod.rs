//! MySQL and MariaDB, through sqlx.

#[cfg(feature = "migrations")]
mod alter;
mod argument;
mod as_text;
mod catalogue;
mod connect;
mod definition;
#[cfg(feature = "migrations")]
mod dependents;
mod describe;
mod dialect;
mod engine;
mod error;
mod known_engines;
mod loading;
mod row;
mod search;
#[cfg(feature = "migrations")]
mod shadow;
mod shards;
mod steps;
mod tables;
mod text_protocol;
mod transaction_guard;
mod turn;
mod vtgate;

use std::sync::Arc;
use std::time::Duration;

use sqlx::mysql::MySqlPool;

use self::connect::Opened;
use self::dialect::MySql;
use super::connections::{self, Connections};
use super::facts::Facts;
use super::pool::connection_cache::{ConnectionCache, cached_connections};
use super::pool::statement_timeout::StatementTimeout;
use super::slow_statements::SlowStatements;
use super::statement::Statement;
use crate::adapter::SqlAdapter;
use crate::model::adapter_error::AdapterError;
use crate::storage::capabilities::Capabilities;
use crate::storage::status::StorageStatus;

/// Returns 2 on a Galera node that is not ready: without a quorum, it refuses tables but still answers `SELECT 1`.
/// Elsewhere it returns 0 or 1, as `wsrep_ready` is `OFF` without a cluster, too.
const NOT_READY: &str = "SELECT 0 /*M! + (SELECT COUNT(*) FROM information_schema.GLOBAL_STATUS \
     WHERE VARIABLE_NAME = 'WSREP_READY' AND VARIABLE_VALUE = 'OFF' \
     OR VARIABLE_NAME = 'WSREP_PROVIDER_NAME' AND VARIABLE_VALUE <> '') */";

/// Storage in MariaDB, version 10.5 or later, or MySQL, version 8.0.17 or later, on `InnoDB`.
///
/// ```no_run
/// use crud_runtime::adapter::MySqlAdapter;
///
/// # async fn open() -> Result<(), crud_runtime::adapter::AdapterError> {
/// let adapter = MySqlAdapter::connect("mysql://shop:secret@localhost/shop").await?;
/// # Ok(()) }
/// ```
///
/// # How values are stored
/// | Kind | Column |
/// |---|---|
/// | `bool` | `BOOLEAN`, with a CHECK |
/// | `i16`, `i32`, `i64` | `SMALLINT`, `INT`, `BIGINT` |
/// | `u32` | `BIGINT`, with a CHECK |
/// | `f32`, `f64` | `FLOAT`, `DOUBLE` |
/// | text | `VARCHAR(n)` by `length(max = n)` up to 768 characters, else `LONGTEXT`; what is unique or a key without such a `length`: `VARCHAR(255)` |
/// | enums | `VARCHAR`, with a CHECK |
/// | dates and times | `DATETIME(6)` in UTC, `DATE`, `TIME(6)` |
/// | UUIDs | `BINARY(16)` |
/// | decimals | `DECIMAL(precision, scale)` |
/// | JSON, lists | `LONGTEXT` that is JSON, of lists with a CHECK |
/// | bytes | `LONGBLOB` |
///
/// Tables are `utf8mb4_nopad_bin` in MariaDB and `utf8mb4_0900_bin` in MySQL: text compares by code point. An index
/// holds the first 255 characters of longer text, so that a list sorted by such a column is sorted each time: give
/// it a `length(max = …)`. There are no partial indexes: with soft delete, indexes begin with the deletion timestamp, what
/// is `unique(active)` is so together with the generated column `crud_active`, and an index with `some` has all records.
/// `unique(case_insensitive)` is on a generated column such as `crud_nocase_email`, the text in lower case.
///
/// A table that was made elsewhere is used as it is when its columns have these types, or wider ones such as
/// `BIGINT` for an `i32`, and those that are sorted or filtered by compare by code point. What is read is
/// checked then: a value that its column cannot have, such as a zero date, is [`AdapterError::Corrupt`].
pub type MySqlAdapter = SqlAdapter<MySqlConnections>;

/// The connections of [`MySqlAdapter`].
#[derive(Debug)]
pub struct MySqlConnections {
    connections: ConnectionCache<MySql>,
    /// `None` where the pool or the URL sets the timeout.
    statement_timeout: Option<StatementTimeout>,
    slow: SlowStatements,
    facts: Arc<Facts>,
}

impl MySqlAdapter {
    /// The capabilities of the adapter.
    #[doc(hidden)]
    pub const CAPABILITIES: Capabilities = connections::CAPABILITIES.with_schemas();

    /// Connects to a database by its URL: `mysql://user:password@host:3306/database`, or `mariadb://…`, with sqlx's
    /// parameters (`?ssl-mode=VERIFY_IDENTITY&ssl-ca=ca.pem`, `?socket=/run/mysqld/mysqld.sock`,
    /// `?statement-cache-capacity=100`; with 0, each statement is prepared twice).
    ///
    /// Up to ten connections; a request waits up to five seconds for one. The server ends a statement (MySQL: one
    /// that reads) after as long as a request may take (30 seconds unless
    /// `Limits::request_timeout` says otherwise) and the wait for a lock after five seconds.
    ///
    /// A keyspace of Vitess has one shard here; `Service::connect` opens those of several.
    ///
    /// # Errors
    /// When the URL is not one of MySQL's or the server cannot be reached.
    pub async fn connect(url: &str) -> Result<Self, AdapterError> {
        let opened = connect::connect(url).await?;
        shards::refuse(&opened, url).await?;
        Ok(Self { connections: MySqlConnections::of_opened(opened) })
    }

    /// Uses an existing pool with the pool's own options;
    /// [`migrate`](crate::storage::administration::Administration::migrate) refuses one whose sessions are not strict.
    /// `READ COMMITTED`, a `max_statement_time` and an `innodb_lock_wait_timeout` are advised: without them a cancelled
    /// request holds its connection until the server is done.
    pub fn new(pool: MySqlPool) -> Self {
        Self { connections: MySqlConnections::over(ConnectionCache::shared(pool)) }
    }
}

impl MySqlConnections {
    fn of_opened(Opened { pool, timeout, is_vtgate, .. }: Opened) -> Self {
        let adapter = Self::over(ConnectionCache::exclusive(pool));
        if is_vtgate {
            adapter.facts.lack_joins();
            adapter.facts.limit_reads();
        }
        Self { statement_timeout: Some(timeout), ..adapter }
    }

    fn over(connections: ConnectionCache<MySql>) -> Self {
        Self { connections, statement_timeout: None, slow: SlowStatements::default(), facts: Arc::default() }
    }
}

impl Connections for MySqlConnections {
    type Driver = MySql;

    const CAPABILITIES: Capabilities = MySqlAdapter::CAPABILITIES;

    cached_connections!();

    async fn check(&self) -> Result<(), AdapterError> {
        match connections::number(self, Statement::fixed(NOT_READY, Vec::new())).await? {
            0 | 1 => Ok(()),
            _ => Err(AdapterError::Unavailable("the node of the Galera cluster is not ready".into())),
        }
    }

    fn status(&self) -> Option<StorageStatus> {
        Some(self.connections.status())
    }

    fn set_time_limit(&self, limit: Duration) {
        if self.statement_timeout.as_ref().is_some_and(|timeout| timeout.set(limit)) {
            self.connections.flush();
        }
    }
}
