//! SQLite, through sqlx.

mod canonical;
mod connect;
mod connections;
mod definition;
mod dialect;
mod engine;
mod error;
mod explain;
mod inspect;
mod migrate;
mod ranges;
mod row;
mod values;
mod write;

use sqlx::SqlitePool;

use self::connections::Connections;
use self::dialect::Sqlite;
use self::error::general;
use super::dialect::Dialect;
use super::engine::Record;
use super::list;
use super::statement::{Sql, Text, key};
use crate::adapter::{Adapter, AdapterError, BoxFuture, MigrateError, Outcome, RowSink, Write, WriteSink, WriteWhere};
use crate::descriptor::Descriptor;
use crate::query::{ListQuery, Predicate};
use crate::value::Value;

/// The largest list that is read whole before its first row is handed on, so that the connection is free
/// again while the rows are worked on.
const READ_WHOLE: u64 = 1_000;

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
/// | dates, times, UUIDs | `TEXT`, the forms of [`crate::text`] |
/// | decimals | `INTEGER`, in units of the last digit: 12.5 with `scale = 4` is 125000 |
/// | JSON, lists of texts | `TEXT` that is JSON |
/// | bytes | `BLOB` |
///
/// A table that was made elsewhere is used as it is when its columns have these types or such as SQLite
/// treats alike. What is read is checked then: a value that its column cannot have is
/// [`AdapterError::Corrupt`], dates and times in another unambiguous form are understood (without an
/// offset they are UTC, as in SQLite's own functions; what is finer than a microsecond is left away),
/// and text that is no JSON is not passed on as JSON. Filters and orders compare what is stored, so
/// they are right for values in the forms above. The zero of a float has no sign.
#[derive(Debug)]
pub struct SqliteAdapter {
    connections: Connections,
}

impl SqliteAdapter {
    /// Opens a database by its URL: `sqlite://shop.db`, `sqlite:shop.db`, `sqlite:///var/lib/shop.db`,
    /// `sqlite::memory:`, with sqlx's parameters (`?mode=ro`).
    ///
    /// A file that is not there is created, unless the URL gives a mode. The database is in WAL mode,
    /// checks foreign keys, and waits up to five seconds for another process that writes. It is
    /// `synchronous = NORMAL`: a crash of the process loses nothing that was acknowledged; a loss of
    /// power can lose the last changes before it, never what makes the database whole. A database in
    /// memory has one connection, and lives as long as the adapter.
    ///
    /// # Errors
    /// When the URL is none of SQLite's or the file cannot be opened.
    pub async fn connect(url: &str) -> Result<Self, AdapterError> {
        Ok(Self { connections: connect::connect(url).await? })
    }

    /// Uses a pool that is there already, with the options it has.
    ///
    /// Its connections must check foreign keys, as sqlx's do by default; [`migrate`](Adapter::migrate)
    /// refuses others. WAL mode is advised, and a busy timeout if anything else writes.
    pub fn new(pool: SqlitePool) -> Self {
        Self { connections: Connections::of_pool(pool) }
    }

    async fn list_to(
        &self,
        resource: &'static Descriptor,
        query: &ListQuery,
        sink: &mut dyn RowSink,
    ) -> Result<(), AdapterError> {
        let mut left = query.limit;
        for part in list::parts(resource, query) {
            let statement = list::select::<Sqlite>(resource, query, *part, left)?;
            let count = match left {
                Some(0..=READ_WHOLE) => self.hand_on(resource, statement, sink).await?,
                _ => self.stream(resource, statement, sink).await?,
            };
            left = left.map(|left| left.saturating_sub(count));
            if left == Some(0) {
                break;
            }
        }
        Ok(())
    }

    /// Reads all rows, then hands them to the sink; their number.
    async fn hand_on(
        &self,
        resource: &'static Descriptor,
        statement: Sql<Sqlite>,
        sink: &mut dyn RowSink,
    ) -> Result<u64, AdapterError> {
        let (text, arguments) = statement.finish();
        let rows = self.connections.reader().await?.all(text, arguments).await.map_err(general)?;
        for row in &rows {
            sink.row(&Record::<Sqlite>::new(resource, row))?;
        }
        Ok(rows.len() as u64)
    }

    /// Hands rows to the sink while they are read; their number.
    async fn stream(
        &self,
        resource: &'static Descriptor,
        statement: Sql<Sqlite>,
        sink: &mut dyn RowSink,
    ) -> Result<u64, AdapterError> {
        let (text, arguments) = statement.finish();
        let mut count = 0;
        let mut each = |row| {
            count += 1;
            sink.row(&Record::<Sqlite>::new(resource, &row))
        };
        self.connections.reader().await?.each(text, arguments, &mut each).await?;
        Ok(count)
    }

    async fn count_of(&self, resource: &'static Descriptor, filter: &Predicate) -> Result<u64, AdapterError> {
        let (text, arguments) = list::count::<Sqlite>(resource, filter)?.finish();
        let row = self.connections.reader().await?.first(text, arguments).await.map_err(general)?;
        row::count(row.as_ref())
    }

    async fn get_to(
        &self,
        resource: &'static Descriptor,
        id: &Value,
        sink: &mut dyn RowSink,
    ) -> Result<bool, AdapterError> {
        let statement = Text::Fixed(Sqlite::statements(resource)?.get);
        let key = vec![key::<Sqlite>(resource, id)];
        let row = self.connections.reader().await?.first(statement, key).await.map_err(general)?;
        match row {
            Some(row) => sink.row(&Record::<Sqlite>::new(resource, &row)).map(|()| true),
            None => Ok(false),
        }
    }

    async fn ping_database(&self) -> Result<(), AdapterError> {
        // Reads the file, not only the connection.
        let statement = Text::Fixed("SELECT COUNT(*) FROM sqlite_schema");
        self.connections.reader().await?.first(statement, Vec::new()).await.map_err(general).map(drop)
    }
}

impl Adapter for SqliteAdapter {
    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(migrate::migrate(&self.connections, resources))
    }

    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        Box::pin(migrate::planned(&self.connections, resources))
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), AdapterError>> {
        Box::pin(self.ping_database())
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>> {
        Box::pin(self.list_to(resource, query, sink))
    }

    fn count<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        Box::pin(self.count_of(resource, filter))
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Value,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>> {
        Box::pin(self.get_to(resource, id, sink))
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, AdapterError>> {
        Box::pin(write::write(&self.connections, resource, write, sink))
    }

    fn write_where<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: WriteWhere<'a>,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        Box::pin(write::write_where(&self.connections, resource, write))
    }
}
