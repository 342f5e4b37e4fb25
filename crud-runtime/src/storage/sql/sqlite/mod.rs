//! SQLite, through sqlx.

#[cfg(feature = "migrations")]
mod alter;
mod argument;
mod canonical;
mod connect;
mod connections;
mod definition;
mod dialect;
mod engine;
mod error;
mod explain;
mod inspect;

#[cfg(feature = "migrations")]
mod migrations;
#[cfg(feature = "migrations")]
mod rebuild;
mod row;
mod tables;

use sqlx::SqlitePool;

use self::connections::{Lease, SqliteConnections};
use self::dialect::Sqlite;
use super::connections::{CAPABILITIES, Connections};
use crate::model::adapter_error::AdapterError;
use crate::storage::capabilities::Capabilities;
#[cfg(feature = "migrations")]
use crate::storage::migrations::Migrations;

/// Storage in SQLite.
///
/// ```
/// use crud_runtime::adapter::SqliteAdapter;
///
/// # async fn open() -> Result<(), crud_runtime::adapter::AdapterError> {
/// let adapter = SqliteAdapter::connect("sqlite::memory:").await?;
/// # Ok(()) }
/// ```
///
/// # How values are stored
/// | Kind | Column |
/// |---|---|
/// | `bool` | `INTEGER`, 0 or 1 |
/// | integers | `INTEGER` |
/// | floats | `REAL` |
/// | text, enums | `TEXT` |
/// | dates, times, UUIDs | `TEXT`, the forms of [`crate::model::text`] |
/// | decimals | `INTEGER`, in units of the last digit: 12.5 with `scale = 4` is 125000 |
/// | JSON, lists of texts | `TEXT` that is JSON |
/// | bytes | `BLOB` |
///
/// A table that was made elsewhere is used as it is when its columns have these types or such as SQLite
/// treats alike. What is read is checked: a value that its column cannot have is
/// [`AdapterError::Corrupt`], dates and times in another unambiguous form are understood (without an
/// offset they are UTC, as in SQLite's own functions; what is finer than a microsecond is cut off),
/// and text that is not JSON is not passed on as JSON. Filters and orders compare what is stored, so
/// they are right for values in the forms above. The zero of a float has no sign.
#[derive(Debug)]
pub struct SqliteAdapter {
    connections: SqliteConnections,
}

impl SqliteAdapter {
    /// Its capabilities.
    pub(crate) const CAPABILITIES: Capabilities = CAPABILITIES.with_one_writer();

    /// Opens a database by its URL: `sqlite://shop.db`, `sqlite:shop.db`, `sqlite:///var/lib/shop.db`,
    /// `sqlite::memory:`, with sqlx's parameters (`?mode=ro`).
    ///
    /// A file that does not exist is created, unless the URL gives a mode. The database is in WAL mode,
    /// checks foreign keys, and waits up to five seconds for another process that writes. It is
    /// `synchronous = NORMAL`: a crash of the process loses nothing that was acknowledged; a loss of
    /// power can lose the last changes before it, never what makes the database whole. A database in
    /// memory has one connection, and lives as long as the adapter.
    ///
    /// # Errors
    /// When the URL is not one of SQLite's or the file cannot be opened.
    pub async fn connect(url: &str) -> Result<Self, AdapterError> {
        Ok(Self { connections: connect::connect(url).await? })
    }

    /// Whether a URL names a database in memory.
    pub(crate) fn is_in_memory(url: &str) -> bool {
        connect::is_in_memory(url)
    }

    /// Whether a URL names a file that does not exist and is created when it is opened.
    pub(crate) fn is_missing_file(url: &str) -> bool {
        connect::is_missing_file(url)
    }

    /// Uses a pool that is there already, with the options it has.
    ///
    /// Its connections must check foreign keys, as sqlx's do by default; [`migrate`](crate::storage::adapter::Adapter::migrate)
    /// refuses others. WAL mode is advised, and a busy timeout if anything else writes.
    pub fn new(pool: SqlitePool) -> Self {
        Self { connections: SqliteConnections::of_pool(pool) }
    }
}

impl Connections for SqliteAdapter {
    type Driver = Sqlite;
    type Lease = Lease;

    const CAPABILITIES: Capabilities = Self::CAPABILITIES;

    async fn reader(&self) -> Result<Lease, AdapterError> {
        self.connections.reader().await
    }

    async fn writer(&self) -> Result<Lease, AdapterError> {
        self.connections.writer().await
    }

    fn release(lease: Lease) {
        lease.release();
    }

    #[cfg(feature = "migrations")]
    fn migrations(&self) -> &dyn Migrations {
        &self.connections
    }
}
