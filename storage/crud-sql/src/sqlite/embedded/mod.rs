//! SQLite by direct calls: readers on the threads of requests, and one writer.

mod backup;
mod connection;
mod describe;
mod engine;
mod error;
#[cfg(feature = "migrations")]
mod migrations;
mod owned_write;
mod page;
mod queue;
mod reads;
mod row;
#[cfg(feature = "migrations")]
mod shadow;
mod shared_commit;
mod sorted_page;
mod totals;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;

use self::connection::Connection;
use self::connection::health::Health;
use self::connection::location::Location;
use self::connection::open::{Open, Purpose};
use self::connection::slots::Slots;
use self::connection::time_limit::TimeLimit;
use self::owned_write::{Applied, OwnedWrite};
use self::page::UnfilteredPage;
use self::reads::CHECKS;
use self::reads::seen_orders::SeenOrders;
use self::reads::seen_plans::SeenPlans;
use self::sorted_page::SortedPage;
use self::totals::Totals;
use self::writer::Writer;
use super::dialect::Sqlite;
use super::spelling::BEGIN;
use crate::adapter::SqlAdapter;
use crate::connections::{self, Connections, Extent};
use crate::facts::Facts;
use crate::learning;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::row::RowSink;
use crate::query::{JoinedColumn, ListQuery, Total};
use crate::slow_statements::SlowStatements;
use crate::statement::Statement;
use crate::storage::capabilities::Capabilities;
#[cfg(feature = "migrations")]
use crate::storage::migrations::Migrations;
use crate::storage::status::StorageStatus;
use crate::storage::write::{Write, WriteWhere};
use crate::write::WriteResult;

/// Maximum number of connections for long reads of a file. Each has a thread and a cache.
const MAX_READERS: usize = 4;

/// Storage in SQLite.
///
/// ```
/// use crud_runtime::adapter::SqliteAdapter;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), crud_runtime::adapter::AdapterError> {
/// let adapter = SqliteAdapter::connect("sqlite::memory:").await?;
/// # Ok(()) }
/// ```
///
/// # How it works
/// A read of microseconds runs on the thread of its request. A longer one runs on another thread, and is interrupted
/// when the request ends. One thread writes: the changes of concurrent requests share a transaction, in which each has
/// a savepoint. Each change is acknowledged when the transaction is on disk. Up to 1,024 changes wait; a further one is
/// refused at once.
///
/// # How values are stored
/// | Kind | Column |
/// |---|---|
/// | `bool` | `INTEGER`, 0 or 1 |
/// | integers | `INTEGER` |
/// | floats | `REAL` |
/// | text, enums | `TEXT` |
/// | dates, times, UUIDs | `TEXT`, the forms of [`crate::model::text`] |
/// | decimals | `INTEGER`, in units of the last digit: 12.5 with `decimal(18, 4)` is 125000 |
/// | JSON, lists | `TEXT` that is JSON |
/// | bytes | `BLOB` |
///
/// A table that was made elsewhere is used as it is when its columns have these types or such as SQLite
/// treats alike. What is read is checked: a value that its column cannot have is
/// [`AdapterError::Corrupt`], dates and times in another unambiguous form are understood (without an
/// offset they are UTC, as in SQLite's own functions; what is finer than a microsecond is cut off),
/// and text that is not JSON is not passed on as JSON. Filters and orders compare what is stored, so
/// they are right for values in the forms above, and in that of a field's `format`: `migrate` refuses a column whose sample is in
/// another one. The zero of a float has no sign.
pub type SqliteAdapter = SqlAdapter<EmbeddedConnections>;

/// The connections of [`SqliteAdapter`].
#[derive(Debug)]
pub struct EmbeddedConnections {
    readers: Arc<Slots>,
    /// The connection for writes; for a database in memory, the only connection.
    writing: Arc<Slots>,
    /// `None` for a read-only database.
    writer: Option<Writer>,
    limit: TimeLimit,
    /// `None` for a database in memory, whose one connection reads and writes.
    totals: Option<Arc<Totals>>,
    /// The lists that SQLite sorts, for [`SortedPage`].
    orders: Arc<SeenOrders>,
    health: Arc<Health>,
    slow: SlowStatements,
    facts: Arc<Facts>,
}

impl SqliteAdapter {
    /// Opens a database by its URL: `sqlite://shop.db`, `sqlite:shop.db`, `sqlite:///var/lib/shop.db`,
    /// `sqlite::memory:`.
    ///
    /// | Parameter | |
    /// |---|---|
    /// | `mode` | `ro` writes nothing, `rw` needs the file, `rwc` creates it where there is none (the default), `memory` |
    /// | `immutable` | `true`: no process changes the file |
    /// | `vfs` | the name of an SQLite VFS |
    /// | `cache` | `private`, `shared`: of no effect |
    /// | `mmap_size` | bytes of the file that readers map into memory; without it 256 MiB where readers share a lock otherwise |
    /// | `journal_mode` | `wal`, the default; `keep` leaves the file in the mode that another program chose: without a write-ahead log, readers and the writer wait for each other |
    ///
    /// The database is in WAL mode, checks foreign keys, and waits up to five seconds for another process that writes.
    /// It is `synchronous = FULL`: neither a crash of the process nor a loss of power loses what was acknowledged. A
    /// database in memory has one connection, and lives as long as the adapter.
    ///
    /// # Errors
    /// When the URL is not one of SQLite's, has an unknown parameter, or the file cannot be opened.
    pub async fn connect(url: &str) -> Result<Self, AdapterError> {
        let location = Location::of_url(url)?;
        let opened = spawn_blocking(move || EmbeddedConnections::open(location)).await;
        let connections = opened.map_err(|error| AdapterError::Other(error.into()))??;
        Ok(Self { connections })
    }

    /// Whether a URL names a database in memory.
    #[doc(hidden)]
    pub fn is_in_memory(url: &str) -> bool {
        Location::of_url(url).is_ok_and(|location| location.is_in_memory())
    }

    /// Whether a URL names a file that does not exist and is created when it is opened.
    #[doc(hidden)]
    pub fn is_missing_file(url: &str) -> bool {
        Location::of_url(url).is_ok_and(|location| location.is_missing_file())
    }

    /// The capabilities of the adapter.
    #[doc(hidden)]
    pub const CAPABILITIES: Capabilities = super::CAPABILITIES.with_group_commit().with_disk_probe();
}

impl EmbeddedConnections {
    fn open(location: Location) -> Result<Self, AdapterError> {
        let first = Open::at(&location, Purpose::Write).map_err(error::general)?;
        let health = Arc::new(Health::new(location.clone()));
        let read_only = location.is_read_only() || first.is_read_only().map_err(error::general)?;
        let limit = TimeLimit::new();
        let (readers, writing, totals) = if first.has_no_file() {
            // Any further connection would open another database.
            let slots = Slots::exclusive(location, first, limit.clone());
            (slots.clone(), slots, None)
        } else {
            if !read_only && !location.keeps_journal() {
                first.write_ahead().map_err(error::general)?;
            }
            let totals = Arc::new(Totals::new(location.clone()));
            let plans = Arc::<SeenPlans>::default();
            let writing =
                Slots::of_writer(location.clone(), totals.clone(), health.clone(), limit.clone(), plans.clone());
            writing.put(first.with_tally(totals.clone()).with_plans(plans.clone()));
            (Slots::of_readers(location, MAX_READERS, limit.clone(), plans), writing, Some(totals))
        };
        let writer = if read_only { None } else { Some(Writer::start(writing.clone(), limit.clone())?) };
        let (orders, slow, facts) = (Arc::default(), SlowStatements::default(), Arc::default());
        Ok(Self { readers, writing, writer, limit, totals, orders, health, slow, facts })
    }

    fn check_writable(&self) -> Result<&Writer, AdapterError> {
        let read_only =
            || AdapterError::Denied { of_record: false, source: "the database was opened to be read".into() };
        self.writer.as_ref().ok_or_else(read_only)
    }
}

impl Connections for EmbeddedConnections {
    type Driver = Sqlite;
    type Lease = Box<Connection>;

    const CAPABILITIES: Capabilities = SqliteAdapter::CAPABILITIES;

    async fn reader(&self) -> Result<Box<Connection>, AdapterError> {
        Ok(Box::new(Connection::elsewhere(self.readers.acquire().await?)))
    }

    async fn writer(&self) -> Result<Box<Connection>, AdapterError> {
        Ok(Box::new(Connection::elsewhere(self.writing.acquire().await?)))
    }

    async fn begin_short(&self) -> Result<Box<Connection>, AdapterError> {
        if self.writing.is_exclusive() {
            // On a single connection, readers would see uncommitted changes of other requests.
            return connections::begin(self).await;
        }
        shared_commit::begin(&self.writing, BEGIN).await.map(Box::new)
    }

    async fn end(lease: Box<Connection>, keep: bool) -> Result<(), AdapterError> {
        if lease.shares_commit() {
            return shared_commit::end(*lease, keep).await;
        }
        let slots = lease.slots().ok().filter(|_| keep);
        let ended = connections::end::<Self>(lease, keep).await;
        if let Some(slots) = slots {
            slots.notice(&ended);
        }
        ended
    }

    fn release(lease: Box<Connection>) {
        drop(lease);
    }

    async fn rows(
        &self,
        resource: &'static Descriptor,
        joined: &[JoinedColumn],
        statement: Statement<Sqlite>,
        extent: Extent,
        sink: &mut dyn RowSink,
    ) -> Result<u64, AdapterError> {
        match extent {
            Extent::Key => {
                if let Some(found) = reads::by_key(&self.readers, resource, &statement, sink).await? {
                    return Ok(found.into());
                }
            }
            Extent::Page => {
                let columns = (resource, joined);
                if let Some(rows) =
                    reads::page(&self.readers, &statement, columns, &mut |_| Ok(Some(CHECKS)), sink).await?
                {
                    return Ok(rows);
                }
            }
            Extent::All => {}
        }
        connections::rows(self, resource, joined, statement, Extent::All, sink).await
    }

    async fn page(
        &self,
        resource: &'static Descriptor,
        query: &ListQuery,
        count: Count,
        sink: &mut dyn RowSink,
    ) -> Result<Option<Total>, AdapterError> {
        if let (Some(totals), Count::Exact) = (&self.totals, count)
            && let Some(page) = UnfilteredPage::of(resource, query)?
        {
            if let Some(total) = page.read_inline(&self.readers, totals, &query.joined, sink).await? {
                return Ok(Some(Total::Exactly(total)));
            }
            let Some((rows, total)) = page.read(self.reader().await?, totals).await? else { return Ok(None) };
            rows.emit(resource, &query.joined, sink)?;
            return Ok(Some(Total::Exactly(total)));
        }
        if count == Count::None {
            return Ok(None);
        }
        let Some(page) = SortedPage::of(resource, query, &self.orders)? else { return Ok(None) };
        if let Some(total) = page.read_inline(&self.readers, &self.orders, count, sink).await? {
            return Ok(Some(total));
        }
        let Some((rows, total)) = page.read(&self.readers, &self.orders, count).await? else { return Ok(None) };
        rows.emit(resource, &query.joined, sink)?;
        Ok(Some(total))
    }

    async fn number(&self, statement: Statement<Sqlite>) -> Result<u64, AdapterError> {
        if let Some(rows) = reads::inline(&self.readers, &statement).await? {
            let number = rows.integer().ok_or_else(|| AdapterError::Other("a count returned no number".into()))?;
            return Ok(number.unsigned_abs());
        }
        connections::number(self, statement).await
    }

    async fn change(
        &self,
        resource: &'static Descriptor,
        write: &Write<'_>,
    ) -> Result<WriteResult<Sqlite>, AdapterError> {
        let writer = self.check_writable()?;
        let effects = learning::effects(self, resource).await?;
        let applied = writer.apply(resource, OwnedWrite::of(write, effects)).await;
        self.health.notice(&applied);
        match applied? {
            Applied::Write(result) => Ok(result),
            Applied::Where(_) => Err(AdapterError::Other("the writer made another change".into())),
        }
    }

    async fn change_where(&self, resource: &'static Descriptor, write: &WriteWhere<'_>) -> Result<u64, AdapterError> {
        let writer = self.check_writable()?;
        let effects = learning::effects(self, resource).await?;
        let applied = writer.apply(resource, OwnedWrite::of_where(write, effects)).await;
        self.health.notice(&applied);
        match applied? {
            Applied::Where(count) => Ok(count),
            Applied::Write(_) => Err(AdapterError::Other("the writer made another change".into())),
        }
    }

    async fn check(&self) -> Result<(), AdapterError> {
        self.health.check_file()?;
        if self.health.has_failed() {
            self.writer().await?.work(|open| open.probe_disk()).await.map_err(error::general)?;
            self.health.recover();
        }
        Ok(())
    }

    async fn close(&self) -> Result<(), AdapterError> {
        if self.totals.is_none() || self.writer.is_none() {
            return Ok(());
        }
        self.writer().await?.work(|open| Ok(open.checkpoint())).await.map_err(error::general)?
    }

    #[cfg(feature = "migrations")]
    fn migrations(&self) -> Option<&dyn Migrations> {
        Some(self)
    }

    fn status(&self) -> Option<StorageStatus> {
        let mut status = self.readers.status(if self.totals.is_some() { MAX_READERS } else { 1 });
        status.repeats = self.readers.repeats();
        if self.totals.is_some() {
            status.repeats += self.writing.repeats();
        }
        let Some(writer) = &self.writer else { return Some(status) };
        status.waiting += writer.queue().waiting();
        Some(self.writing.sizes().add_to(status))
    }

    fn facts(&self) -> &Arc<Facts> {
        &self.facts
    }

    fn slow_statements(&self) -> &SlowStatements {
        &self.slow
    }

    fn set_time_limit(&self, limit: Duration) {
        self.limit.set(limit);
    }
}
