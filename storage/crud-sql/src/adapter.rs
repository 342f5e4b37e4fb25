//! [`SqlAdapter`]: [`Adapter`], [`Administration`] and [`Transfer`] over [`Connections`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use crud_core::retry;

use super::TARGET;
use super::catalogue::driver::CatalogueDriver as _;
use super::catalogue::index_use;
use super::catalogue::unused_tables::unused;
use super::connections::{Connections, Extent, MAX_PAGE, all, begin};
use super::dialect::Dialect;
use super::driver::{Connection, Driver as _, Execution};
use super::learning;
use super::long_lists::Pages;
use super::page_with_total::{has_subquery, page_with_total};
use super::schema::comparison::diff;
use super::schema::driver::SchemaDriver;
use super::schema::plan::{Plan, plan};
use super::slow_lists;
use super::statement::{Sql, Statement};
use super::statement::{aggregate as groups, select};
use super::transaction::SqlTransaction;
use super::transfer;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::key::Key;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{AggregateQuery, Group, ListQuery, Predicate, Total};
use crate::storage::adapter::{Adapter, AdapterFuture, BoxFuture, list_and_count};
use crate::storage::administration::Administration;
use crate::storage::capabilities::Capabilities;
use crate::storage::facts::TableFacts;
use crate::storage::index_use::IndexUse;
use crate::storage::migrate_error::MigrateError;
#[cfg(feature = "migrations")]
use crate::storage::migrations::Migrations;
use crate::storage::position::Position;
use crate::storage::rights::Rights;
use crate::storage::schema::Difference;
use crate::storage::session_variables::SessionVariables;
use crate::storage::status::StorageStatus;
use crate::storage::transaction::Transaction;
use crate::storage::transfer::{Load, Transfer};
use crate::storage::unused_table::UnusedTable;
use crate::storage::write::{Outcome, Write, WriteSink, WriteWhere};

/// Storage in a SQL database, over its connections.
#[derive(Debug)]
pub struct SqlAdapter<C> {
    pub(crate) connections: C,
}

impl<C: Connections> Adapter for SqlAdapter<C> {
    fn capabilities(&self) -> Capabilities {
        C::CAPABILITIES
    }

    fn ping(&self) -> AdapterFuture<'_, ()> {
        Box::pin(ping(&self.connections))
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        Box::pin(list(&self.connections, resource, query, sink))
    }

    fn count<'a>(&'a self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        Box::pin(count(&self.connections, resource, filter, None))
    }

    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        Box::pin(count(&self.connections, resource, filter, Some(limit)))
    }

    fn aggregate<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        Box::pin(aggregate(&self.connections, resource, query))
    }

    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        Box::pin(page(self, resource, query, count, sink))
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        Box::pin(self.connections.record(resource, id, tenant, sink))
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        Box::pin(changed(&self.connections, resource, write, sink))
    }

    fn write_where<'a>(&'a self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        Box::pin(async move {
            let changed = self.connections.change_where(resource, &write).await;
            changed.map_err(|error| self.connections.facts().with_columns(resource, error))
        })
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        Box::pin(
            async move { Ok(SqlTransaction::<C>::boxed(begin(&self.connections).await?, self.connections.facts())) },
        )
    }

    fn begin_short(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        Box::pin(async move {
            Ok(SqlTransaction::<C>::boxed(self.connections.begin_short().await?, self.connections.facts()))
        })
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        self.connections.session(variables)
    }

    fn position(&self) -> AdapterFuture<'_, Option<Position>> {
        self.connections.position()
    }
}

impl<C: Connections> Administration for SqlAdapter<C> {
    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(migrate(&self.connections, resources))
    }

    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        Box::pin(statements(&self.connections, resources))
    }

    fn unused_tables<'a>(&'a self, used: &'a [&'static str]) -> AdapterFuture<'a, Vec<UnusedTable>> {
        Box::pin(on_reader(&self.connections, async move |reader| unused::<C::Driver>(reader, used).await))
    }

    fn index_use<'a>(&'a self, tables: &'a [&'static str]) -> AdapterFuture<'a, IndexUse> {
        Box::pin(on_reader(&self.connections, async move |reader| {
            index_use::index_use::<C::Driver>(reader, tables).await
        }))
    }

    fn compare<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<Difference>> {
        Box::pin(on_reader(&self.connections, async move |reader| {
            diff::all_differences::<C::Driver>(reader, resources).await
        }))
    }

    fn ambiguous_keys<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<Difference>> {
        Box::pin(on_reader(&self.connections, async move |reader| {
            diff::ambiguous_keys::<C::Driver>(reader, resources).await
        }))
    }

    fn rights<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Rights> {
        Box::pin(rights(&self.connections, resources))
    }

    fn learn<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<TableFacts>> {
        Box::pin(learning::learn(&self.connections, resources))
    }

    #[cfg(feature = "migrations")]
    fn migrations(&self) -> Option<&dyn Migrations> {
        self.connections.migrations()
    }

    fn transfer(&self) -> Option<&dyn Transfer> {
        Some(self)
    }

    fn close(&self) -> AdapterFuture<'_, ()> {
        Box::pin(self.connections.close())
    }

    fn status(&self) -> Option<StorageStatus> {
        self.connections.status()
    }

    fn set_time_limit(&self, limit: Duration) {
        self.connections.set_time_limit(limit);
    }

    fn set_slow_statement(&self, threshold: Duration) {
        self.connections.slow_statements().set_threshold(threshold);
    }
}

impl<C: Connections> Transfer for SqlAdapter<C> {
    fn differences<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<Difference>> {
        Box::pin(transfer::differences(&self.connections, resources))
    }

    fn snapshot(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        Box::pin(transfer::snapshot(&self.connections))
    }

    fn last_key<'a>(&'a self, resource: &'static Descriptor) -> AdapterFuture<'a, i64> {
        Box::pin(transfer::last_key(&self.connections, resource))
    }

    fn set_last_key<'a>(&'a self, resource: &'static Descriptor, key: i64) -> AdapterFuture<'a, ()> {
        Box::pin(transfer::set_last_key(&self.connections, resource, key))
    }

    fn load<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Box<dyn Load>> {
        Box::pin(transfer::load(&self.connections, resources))
    }
}

async fn migrate<C: Connections>(connections: &C, resources: &[&'static Descriptor]) -> Result<(), MigrateError> {
    // On a cluster, tables that another node creates can abort any statement.
    let is_conflict = |migrated: &Result<(), MigrateError>| matches!(migrated, Err(MigrateError::Adapter(error)) if C::Driver::is_conflict(error));
    retry!(create(connections, resources), is_conflict)
}

async fn statements<C: Connections>(
    connections: &C,
    resources: &[&'static Descriptor],
) -> Result<Vec<String>, MigrateError> {
    let mut lease = connections.reader().await?;
    let plan = planned::<C::Driver>(&mut lease, resources).await?;
    C::release(lease);
    Ok(plan.statements)
}

/// Runs a read on a reader's connection, and releases the connection.
async fn on_reader<C: Connections, T>(
    connections: &C,
    read: impl AsyncFnOnce(&mut Connection<C::Driver>) -> Result<T, <C::Driver as Execution>::Error>,
) -> Result<T, AdapterError> {
    let mut lease = connections.reader().await?;
    let found = read(&mut lease).await.map_err(C::Driver::general)?;
    C::release(lease);
    Ok(found)
}

async fn rights<C: Connections>(connections: &C, resources: &[&'static Descriptor]) -> Result<Rights, AdapterError> {
    let mut lease = connections.writer().await?;
    let found = C::Driver::rights(&mut lease, resources).await.map_err(C::Driver::general)?;
    C::release(lease);
    Ok(found)
}

async fn ping<C: Connections>(connections: &C) -> Result<(), AdapterError> {
    connections.check().await?;
    all(connections, Statement::fixed(C::Driver::PING, Vec::new())).await.map(drop)
}

async fn list<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    query: &ListQuery,
    sink: &mut dyn RowSink,
) -> Result<(), AdapterError> {
    let begin = Instant::now();
    records(connections, resource, query, sink).await?;
    slow_lists::notice_list(connections, resource, query, begin.elapsed()).await;
    Ok(())
}

async fn count<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    filter: &Predicate,
    limit: Option<u64>,
) -> Result<u64, AdapterError> {
    let begin = Instant::now();
    let statement: Sql<C::Driver> = select::count(resource, filter, limit)?;
    let number = connections.number(statement.finish()).await?;
    slow_lists::notice_count(connections, resource, filter, begin.elapsed()).await;
    Ok(number)
}

async fn aggregate<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    query: &AggregateQuery,
) -> Result<Vec<Group>, AdapterError> {
    let statement: Sql<C::Driver> = groups::aggregate(resource, query)?;
    let rows = all(connections, statement.finish()).await?;
    rows.iter().map(|row| groups::group::<C::Driver>(resource, query, row)).collect()
}

async fn page<C: Connections>(
    adapter: &SqlAdapter<C>,
    resource: &'static Descriptor,
    query: &ListQuery,
    count: Count,
    sink: &mut dyn RowSink,
) -> Result<Option<Total>, AdapterError> {
    let (connections, begin) = (&adapter.connections, Instant::now());
    let page = if !C::IS_REMOTE {
        connections.page(resource, query, count, sink).await?
    } else if connections.facts().has_limited_reads() && has_subquery(&query.filter) {
        None
    } else {
        page_with_total(connections, resource, query, count, sink).await?
    };
    match page {
        None => list_and_count(adapter, resource, query, count, sink).await,
        total => {
            slow_lists::notice_list(connections, resource, query, begin.elapsed()).await;
            Ok(total)
        }
    }
}

async fn changed<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    write: Write<'_>,
    sink: &mut dyn WriteSink,
) -> Result<Vec<Outcome>, AdapterError> {
    if write.work.is_empty() {
        return Ok(Vec::new());
    }
    connections.change(resource, &write).await?.emit(resource, connections.facts(), sink)
}

/// Creates the tables, columns and indexes that the database lacks.
async fn create<C: Connections>(connections: &C, resources: &[&'static Descriptor]) -> Result<(), MigrateError> {
    let mut lease = connections.writer().await?;
    // A complete database is not locked, so that a role without CREATE suffices.
    let plan = planned::<C::Driver>(&mut lease, resources).await?;
    if !plan.statements.is_empty() {
        if !plan.tables.is_empty() {
            tracing::info!(target: TARGET, tables = plan.tables.join(", "), "creates tables");
        }
        C::Driver::create(&mut lease, resources).await?;
    }
    C::release(lease);
    Ok(())
}

async fn planned<D: SchemaDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Plan, MigrateError> {
    let unfit = D::unfit(connection, resources).await.map_err(D::general)?;
    plan::<D>(connection, resources, unfit).await
}

/// Passes the records of a query to the sink.
async fn records<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    query: &ListQuery,
    sink: &mut dyn RowSink,
) -> Result<(), AdapterError> {
    let mut next = Pages::of(connections.facts(), resource, query);
    if next.is_none() {
        return records_at_once(connections, resource, query, sink).await;
    }
    while let Some(pages) = next {
        let mut page = pages.sink(sink);
        records_at_once(connections, resource, pages.query(), &mut page).await?;
        let read = page.read();
        next = pages.after(read);
    }
    Ok(())
}

async fn records_at_once<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    query: &ListQuery,
    sink: &mut dyn RowSink,
) -> Result<(), AdapterError> {
    let mut remaining = query.limit;
    for part in select::parts(resource, query) {
        let statement: Sql<C::Driver> = select::select(resource, query, *part, remaining)?;
        let extent = if remaining.is_some_and(|remaining| remaining <= MAX_PAGE) { Extent::Page } else { Extent::All };
        let count = connections.rows(resource, &query.joined, statement.finish(), extent, sink).await?;
        remaining = remaining.map(|remaining| remaining.saturating_sub(count));
        if remaining == Some(0) {
            break;
        }
    }
    Ok(())
}
