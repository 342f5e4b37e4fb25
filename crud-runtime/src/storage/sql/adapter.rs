//! [`Adapter`] for every SQL adapter: by its [`Connections`].

use std::time::Duration;

use tokio::time::sleep;

use super::connections::Connections;
use super::dialect::Dialect;
use super::driver::{Connection, DatabaseRow, Driver, Record};
use super::schema::plan::plan;
use super::statement::select;
use super::statement::{Sql, Statement, key};
use super::transaction::SqlTransaction;
use super::write;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate};
use crate::storage::adapter::{Adapter, BoxFuture};
use crate::storage::back_off::{MAX_RETRIES, back_off};
use crate::storage::capabilities::Capabilities;
use crate::storage::migrate_error::MigrateError;
#[cfg(feature = "migrations")]
use crate::storage::migrations::Migrations;
use crate::storage::position::Position;
use crate::storage::transaction::Transaction;
use crate::storage::write::{Outcome, Write, WriteSink, WriteWhere};

/// The largest list that is buffered: its connection is free again while the rows are rendered. A larger one is
/// streamed.
const MAX_BUFFERED: u64 = 1_000;

impl<C: Connections> Adapter for C {
    fn capabilities(&self) -> Capabilities {
        C::CAPABILITIES
    }

    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let mut lease = self.writer().await?;
            // Where nothing is missing, nothing is locked, so that a role without CREATE suffices.
            if !planned::<C::Driver>(&mut lease, resources).await?.is_empty() {
                C::Driver::create(&mut lease, resources).await?;
            }
            C::release(lease);
            Ok(())
        })
    }

    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        Box::pin(async move {
            let mut lease = self.reader().await?;
            let statements = planned::<C::Driver>(&mut lease, resources).await?;
            C::release(lease);
            Ok(statements)
        })
    }

    #[cfg(feature = "migrations")]
    fn migrations(&self) -> Option<&dyn Migrations> {
        Some(Connections::migrations(self))
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), AdapterError>> {
        Box::pin(async move { all(self, Statement::fixed(C::Driver::PING, Vec::new())).await.map(drop) })
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>> {
        Box::pin(list(self, resource, query, sink))
    }

    fn count<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        Box::pin(count(self, resource, filter))
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Value,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>> {
        Box::pin(get(self, resource, id, sink))
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
            self.change(resource, &write).await?.emit(resource, sink)
        })
    }

    fn write_where<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: WriteWhere<'a>,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        Box::pin(change_where(self, resource, write))
    }

    fn begin(&self) -> BoxFuture<'_, Result<Box<dyn Transaction>, AdapterError>> {
        Box::pin(async move {
            let transaction = SqlTransaction::<C>::begin(self.writer().await?).await?;
            Ok(Box::new(transaction) as Box<dyn Transaction>)
        })
    }

    fn position(&self) -> BoxFuture<'_, Result<Option<Position>, AdapterError>> {
        Connections::position(self)
    }

    fn set_time_limit(&self, limit: Duration) {
        Connections::set_time_limit(self, limit);
    }
}

async fn planned<D: Driver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<String>, MigrateError> {
    let unfit = D::unfit(connection, resources).await.map_err(D::general)?;
    plan::<D>(connection, resources, unfit).await
}

/// Reads all rows of a statement.
async fn all<C: Connections>(
    connections: &C,
    statement: Statement<C::Driver>,
) -> Result<Vec<DatabaseRow<C::Driver>>, AdapterError> {
    let mut lease = connections.reader().await?;
    let rows = C::Driver::all(&mut lease, statement).await.map_err(C::Driver::general)?;
    C::release(lease);
    Ok(rows)
}

async fn change_where<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    write: WriteWhere<'_>,
) -> Result<u64, AdapterError> {
    let mut retries = 0..MAX_RETRIES;
    loop {
        let mut lease = connections.writer().await?;
        let count = write::run_where::<C::Driver>(&mut lease, resource, &write).await;
        match &count {
            Ok(_) => C::release(lease),
            Err(_) => drop(lease),
        }
        match (count, retries.next()) {
            (Err(error), Some(retry)) if C::Driver::is_conflict(&error) => sleep(back_off(retry)).await,
            (count, _) => return count,
        }
    }
}

async fn list<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    query: &ListQuery,
    sink: &mut dyn RowSink,
) -> Result<(), AdapterError> {
    let mut left = query.limit;
    for part in select::parts(resource, query) {
        let statement: Sql<C::Driver> = select::select(resource, query, *part, left)?;
        let count = match left {
            Some(0..=MAX_BUFFERED) => buffer(connections, resource, statement.finish(), sink).await?,
            _ => stream(connections, resource, statement.finish(), sink).await?,
        };
        left = left.map(|left| left.saturating_sub(count));
        if left == Some(0) {
            break;
        }
    }
    Ok(())
}

/// Reads all rows, then passes them to the sink; their number.
async fn buffer<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    statement: Statement<C::Driver>,
    sink: &mut dyn RowSink,
) -> Result<u64, AdapterError> {
    let rows = all(connections, statement).await?;
    for row in &rows {
        sink.row(&Record::<C::Driver>::new(resource, row))?;
    }
    Ok(rows.len() as u64)
}

/// Passes rows to the sink while they are read; their number.
async fn stream<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    statement: Statement<C::Driver>,
    sink: &mut dyn RowSink,
) -> Result<u64, AdapterError> {
    let mut count = 0;
    let mut each = |row| {
        count += 1;
        sink.row(&Record::<C::Driver>::new(resource, &row))
    };
    let mut lease = connections.reader().await?;
    C::Driver::each(&mut lease, statement, &mut each).await?;
    C::release(lease);
    Ok(count)
}

async fn count<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    filter: &Predicate,
) -> Result<u64, AdapterError> {
    let row = all(connections, select::count(resource, filter)?.finish()).await?.into_iter().next();
    let row = row.ok_or_else(|| AdapterError::Other("a count returned no row".into()))?;
    C::Driver::number_in(&row).map(i64::unsigned_abs).map_err(C::Driver::general)
}

async fn get<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    id: &Value,
    sink: &mut dyn RowSink,
) -> Result<bool, AdapterError> {
    let key = vec![key::<C::Driver>(resource, id)];
    let rows = all(connections, Statement::fixed(C::Driver::statements(resource)?.get, key)).await?;
    match rows.first() {
        Some(row) => sink.row(&Record::<C::Driver>::new(resource, row)).map(|()| true),
        None => Ok(false),
    }
}
