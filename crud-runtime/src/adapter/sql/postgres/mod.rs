//! PostgreSQL, through sqlx.

mod argument;
mod connect;
mod definition;
mod dialect;
mod engine;
mod error;
mod inspect;
mod migrate;
mod numeric;
mod optimistic;
mod row;
mod types;
mod unnest;
mod write;

use futures_util::TryStreamExt;
use sqlx::postgres::{PgPool, PgRow};

use self::argument::Argument;
use self::dialect::Postgres;
use self::engine::bind;
use self::error::general;
use super::dialect::Dialect;
use super::engine::{Engine, Record};
use super::list;
use super::statement::{Sql, Text, key};
use crate::adapter::{Adapter, AdapterError, BoxFuture, MigrateError, Outcome, RowSink, Write, WriteSink, WriteWhere};
use crate::descriptor::Descriptor;
use crate::query::{ListQuery, Predicate};
use crate::value::Value;

/// The largest list that is read whole before its first row is handed on, so that the connection is free
/// again while the rows are worked on.
const READ_WHOLE: u64 = 1_000;

/// Storage in PostgreSQL, version 12 or later, and in what speaks its protocol and its SQL.
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
    pool: PgPool,
}

impl PostgresAdapter {
    /// Connects to a database by its URL: `postgres://user:password@host:5432/database`, with sqlx's parameters
    /// (`?sslmode=verify-full&sslrootcert=ca.pem`, `?statement-cache-capacity=100`, `?options=…`).
    ///
    /// Up to ten connections; a request waits up to five seconds for one. Unless the URL has `options`, the
    /// server ends a statement after 30 seconds and the wait for a lock after five.
    ///
    /// # Errors
    /// When the URL is none of PostgreSQL's or the server cannot be reached.
    pub async fn connect(url: &str) -> Result<Self, AdapterError> {
        Ok(Self { pool: connect::connect(url).await? })
    }

    /// Uses a pool that is there already, with the options it has. A `statement_timeout` and a `lock_timeout`
    /// are advised: without them a request that was given up holds its connection until the server is done.
    pub fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    async fn list_to(
        &self,
        resource: &'static Descriptor,
        query: &ListQuery,
        sink: &mut dyn RowSink,
    ) -> Result<(), AdapterError> {
        let mut left = query.limit;
        for part in list::parts(resource, query) {
            let statement = list::select::<Postgres>(resource, query, *part, left)?;
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
        statement: Sql<Postgres>,
        sink: &mut dyn RowSink,
    ) -> Result<u64, AdapterError> {
        let (text, arguments) = statement.finish();
        let rows = self.all(text, arguments).await?;
        for row in &rows {
            sink.row(&Record::<Postgres>::new(resource, row))?;
        }
        Ok(rows.len() as u64)
    }

    /// Hands rows to the sink while they are read; their number.
    async fn stream(
        &self,
        resource: &'static Descriptor,
        statement: Sql<Postgres>,
        sink: &mut dyn RowSink,
    ) -> Result<u64, AdapterError> {
        let (text, arguments) = statement.finish();
        let mut connection = self.pool.acquire().await.map_err(general)?;
        let query = sqlx::query_with(text, bind(arguments).map_err(general)?);
        let mut rows = query.fetch(&mut *connection);
        let mut count = 0;
        while let Some(row) = rows.try_next().await.map_err(general)? {
            count += 1;
            sink.row(&Record::<Postgres>::new(resource, &row))?;
        }
        Ok(count)
    }

    async fn count_of(&self, resource: &'static Descriptor, filter: &Predicate) -> Result<u64, AdapterError> {
        let (text, arguments) = list::count::<Postgres>(resource, filter)?.finish();
        row::count(self.all(text, arguments).await?.first())
    }

    async fn get_to(
        &self,
        resource: &'static Descriptor,
        id: &Value,
        sink: &mut dyn RowSink,
    ) -> Result<bool, AdapterError> {
        let statement = Text::Fixed(Postgres::statements(resource)?.get);
        let rows = self.all(statement, vec![key::<Postgres>(resource, id)]).await?;
        match rows.first() {
            Some(row) => sink.row(&Record::<Postgres>::new(resource, row)).map(|()| true),
            None => Ok(false),
        }
    }

    async fn ping_database(&self) -> Result<(), AdapterError> {
        self.all(Text::Fixed("SELECT 1"), Vec::new()).await.map(drop)
    }

    /// Reads the rows of a statement on a connection that is free.
    async fn all(&self, text: Text, arguments: Vec<Argument>) -> Result<Vec<PgRow>, AdapterError> {
        let mut connection = self.pool.acquire().await.map_err(general)?;
        Postgres::all(&mut connection, text, arguments).await.map_err(general)
    }
}

impl Adapter for PostgresAdapter {
    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(migrate::migrate(&self.pool, resources))
    }

    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        Box::pin(migrate::planned(&self.pool, resources))
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
        Box::pin(write::write(&self.pool, resource, write, sink))
    }

    fn write_where<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: WriteWhere<'a>,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        Box::pin(write::write_where(&self.pool, resource, write))
    }
}
