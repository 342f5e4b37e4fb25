//! [`Source`]: the connections of a SQL adapter, and [`Adapter`] for every storage that has one.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use super::dialect::Dialect;
use super::driver::{DatabaseRow, Driver, Record};
use super::schema::Schema;
use super::statement::select;
use super::statement::{Sql, Statement, key};
use super::write::WriteResult;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate};
use crate::storage::adapter::{Adapter, BoxFuture};
use crate::storage::capabilities::Capabilities;
use crate::storage::migrate_error::MigrateError;
#[cfg(feature = "migrations")]
use crate::storage::migrations::Migrations;
use crate::storage::position::Position;
use crate::storage::write::{Outcome, Write, WriteSink, WriteWhere};

/// The largest list that is buffered: its connection is free again while the rows are rendered. A larger one is
/// streamed.
const MAX_BUFFERED: u64 = 1_000;

/// The capabilities of every SQL database.
pub(super) const CAPABILITIES: Capabilities = if cfg!(feature = "migrations") {
    Capabilities::new().with_transactions().with_migrations()
} else {
    Capabilities::new().with_transactions()
};

/// Storage that has its connections from a source.
pub(super) trait Storage: fmt::Debug + Send + Sync + 'static {
    /// The kind of source.
    type Source: Source;

    /// The database's capabilities.
    const CAPABILITIES: Capabilities;

    /// The source.
    fn source(&self) -> &Self::Source;

    /// See [`Adapter::migrations`](crate::storage::adapter::Adapter::migrations).
    #[cfg(feature = "migrations")]
    fn migrations(&self) -> &dyn Migrations;

    /// See [`Adapter::position`].
    fn position(&self) -> BoxFuture<'_, Result<Option<Position>, AdapterError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// See [`Adapter::set_time_limit`].
    fn set_time_limit(&self, _limit: Duration) {}
}

/// Takes each row of a statement.
pub(super) type Each<'a, E> = &'a mut (dyn FnMut(DatabaseRow<E>) -> Result<(), AdapterError> + Send);

/// Connections to a database. Each method acquires one.
pub(super) trait Source: Sync {
    /// The database.
    type Driver: Schema;

    /// A statement that shows whether the database answers.
    const PING: &'static str;

    /// Reads all rows of a statement.
    fn all(
        &self,
        statement: Statement<Self::Driver>,
    ) -> impl Future<Output = Result<Vec<DatabaseRow<Self::Driver>>, AdapterError>> + Send;

    /// Reads the first row of a statement that has one at most.
    fn first(
        &self,
        statement: Statement<Self::Driver>,
    ) -> impl Future<Output = Result<Option<DatabaseRow<Self::Driver>>, AdapterError>> + Send;

    /// Passes on the rows of a statement while they are read.
    fn each(
        &self,
        statement: Statement<Self::Driver>,
        each: Each<'_, Self::Driver>,
    ) -> impl Future<Output = Result<(), AdapterError>> + Send;

    /// Makes changes.
    fn change(
        &self,
        resource: &'static Descriptor,
        write: &Write<'_>,
    ) -> impl Future<Output = Result<WriteResult<Self::Driver>, AdapterError>> + Send;

    /// See [`Adapter::write_where`].
    fn change_where(
        &self,
        resource: &'static Descriptor,
        write: WriteWhere<'_>,
    ) -> impl Future<Output = Result<u64, AdapterError>> + Send;

    /// See [`Adapter::migrate`].
    fn migrate(&self, resources: &[&'static Descriptor]) -> impl Future<Output = Result<(), MigrateError>> + Send;

    /// See [`Adapter::plan`].
    fn plan(&self, resources: &[&'static Descriptor])
    -> impl Future<Output = Result<Vec<String>, MigrateError>> + Send;
}

impl<S: Storage> Adapter for S {
    fn capabilities(&self) -> Capabilities {
        S::CAPABILITIES
    }

    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(self.source().migrate(resources))
    }

    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        Box::pin(self.source().plan(resources))
    }

    #[cfg(feature = "migrations")]
    fn migrations(&self) -> Option<&dyn Migrations> {
        Some(Storage::migrations(self))
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), AdapterError>> {
        let statement = Statement::fixed(<S::Source as Source>::PING, Vec::new());
        Box::pin(async move { self.source().first(statement).await.map(drop) })
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>> {
        Box::pin(list(self.source(), resource, query, sink))
    }

    fn count<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        Box::pin(count(self.source(), resource, filter))
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Value,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>> {
        Box::pin(get(self.source(), resource, id, sink))
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, AdapterError>> {
        Box::pin(async move {
            if write.work.is_empty() {
                return Ok(Vec::new());
            }
            self.source().change(resource, &write).await?.emit(resource, sink)
        })
    }

    fn write_where<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: WriteWhere<'a>,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        Box::pin(self.source().change_where(resource, write))
    }

    fn position(&self) -> BoxFuture<'_, Result<Option<Position>, AdapterError>> {
        Storage::position(self)
    }

    fn set_time_limit(&self, limit: Duration) {
        Storage::set_time_limit(self, limit);
    }
}

async fn list<S: Source>(
    source: &S,
    resource: &'static Descriptor,
    query: &ListQuery,
    sink: &mut dyn RowSink,
) -> Result<(), AdapterError> {
    let mut left = query.limit;
    for part in select::parts(resource, query) {
        let statement: Sql<S::Driver> = select::select(resource, query, *part, left)?;
        let count = match left {
            Some(0..=MAX_BUFFERED) => buffer(source, resource, statement.finish(), sink).await?,
            _ => stream(source, resource, statement.finish(), sink).await?,
        };
        left = left.map(|left| left.saturating_sub(count));
        if left == Some(0) {
            break;
        }
    }
    Ok(())
}

/// Reads all rows, then passes them to the sink; their number.
async fn buffer<S: Source>(
    source: &S,
    resource: &'static Descriptor,
    statement: Statement<S::Driver>,
    sink: &mut dyn RowSink,
) -> Result<u64, AdapterError> {
    let rows = source.all(statement).await?;
    for row in &rows {
        sink.row(&Record::<S::Driver>::new(resource, row))?;
    }
    Ok(rows.len() as u64)
}

/// Passes rows to the sink while they are read; their number.
async fn stream<S: Source>(
    source: &S,
    resource: &'static Descriptor,
    statement: Statement<S::Driver>,
    sink: &mut dyn RowSink,
) -> Result<u64, AdapterError> {
    let mut count = 0;
    let mut each = |row| {
        count += 1;
        sink.row(&Record::<S::Driver>::new(resource, &row))
    };
    source.each(statement, &mut each).await?;
    Ok(count)
}

async fn count<S: Source>(source: &S, resource: &'static Descriptor, filter: &Predicate) -> Result<u64, AdapterError> {
    let row = source.first(select::count(resource, filter)?.finish()).await?;
    let row = row.ok_or_else(|| AdapterError::Other("a count returned no row".into()))?;
    S::Driver::number_in(&row).map(i64::unsigned_abs).map_err(S::Driver::general)
}

async fn get<S: Source>(
    source: &S,
    resource: &'static Descriptor,
    id: &Value,
    sink: &mut dyn RowSink,
) -> Result<bool, AdapterError> {
    let key = vec![key::<S::Driver>(resource, id)];
    match source.first(Statement::fixed(S::Driver::statements(resource)?.get, key)).await? {
        Some(row) => sink.row(&Record::<S::Driver>::new(resource, &row)).map(|()| true),
        None => Ok(false),
    }
}
