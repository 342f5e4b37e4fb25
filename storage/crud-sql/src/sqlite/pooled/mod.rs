//! SQLite through a pool of sqlx connections.

mod argument;
mod connections;
mod engine;
mod error;
#[cfg(feature = "migrations")]
mod migrations;
mod row;

use std::sync::Arc;

use sqlx::SqlitePool;

use self::connections::{Lease, PooledConnections};
use super::dialect::{Pooled, Sqlite};
use crate::adapter::SqlAdapter;
use crate::connections::Connections;
use crate::facts::Facts;
use crate::model::adapter_error::AdapterError;
use crate::slow_statements::SlowStatements;
use crate::storage::capabilities::Capabilities;
#[cfg(feature = "migrations")]
use crate::storage::migrations::Migrations;

/// Storage in SQLite through a program's own pool. [`SqliteAdapter`](super::SqliteAdapter) does the same several times
/// faster.
///
/// ```
/// use crud_runtime::adapter::SqlitePoolAdapter;
///
/// # async fn open() -> Result<(), crud_runtime::sqlx::Error> {
/// let pool = crud_runtime::sqlx::SqlitePool::connect("sqlite://shop.db").await?;
/// let adapter = SqlitePoolAdapter::new(pool);
/// # Ok(()) }
/// ```
pub type SqlitePoolAdapter = SqlAdapter<PoolConnections>;

/// The connections of [`SqlitePoolAdapter`].
#[derive(Debug)]
pub struct PoolConnections {
    pool: PooledConnections,
    slow: SlowStatements,
    facts: Arc<Facts>,
}

impl SqlitePoolAdapter {
    /// Uses an existing pool with the pool's own options.
    ///
    /// Its connections must check foreign keys, as sqlx's do by default;
    /// [`migrate`](crate::storage::administration::Administration::migrate) refuses others. WAL mode is advised, and a
    /// busy timeout if other programs write.
    pub fn new(pool: SqlitePool) -> Self {
        let (slow, facts) = (SlowStatements::default(), Arc::default());
        Self { connections: PoolConnections { pool: PooledConnections::new(pool), slow, facts } }
    }
}

impl Connections for PoolConnections {
    type Driver = Sqlite<Pooled>;
    type Lease = Lease;

    const CAPABILITIES: Capabilities = super::CAPABILITIES;

    async fn reader(&self) -> Result<Lease, AdapterError> {
        self.pool.reader().await
    }

    async fn writer(&self) -> Result<Lease, AdapterError> {
        self.pool.writer().await
    }

    fn release(lease: Lease) {
        drop(lease);
    }

    fn facts(&self) -> &Arc<Facts> {
        &self.facts
    }

    fn slow_statements(&self) -> &SlowStatements {
        &self.slow
    }

    #[cfg(feature = "migrations")]
    fn migrations(&self) -> Option<&dyn Migrations> {
        Some(&self.pool)
    }
}
