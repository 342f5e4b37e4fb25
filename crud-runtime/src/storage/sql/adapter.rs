//! [`Adapter`] for every SQL adapter: by its [`Connections`].

use std::time::{Duration, Instant};

use super::connections::{Connections, Extent, MAX_PAGE, all, begin};
use super::driver::{Connection, Driver};
use super::page_with_total::page_with_total;
use super::schema::diff;
use super::schema::index_use::index_use;
use super::schema::plan::plan;
use super::schema::unused_tables::unused;
use super::slow_lists;
use super::statement::select;
use super::statement::{Sql, Statement};
use super::transaction::SqlTransaction;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate, Total};
use crate::storage::adapter::{Adapter, BoxFuture, list_and_count};
use crate::storage::back_off::Retries;
use crate::storage::capabilities::Capabilities;
use crate::storage::index_use::IndexUse;
use crate::storage::migrate_error::MigrateError;
#[cfg(feature = "migrations")]
use crate::storage::migrations::Migrations;
use crate::storage::position::Position;
use crate::storage::schema::Difference;
use crate::storage::status::StorageStatus;
use crate::storage::transaction::Transaction;
use crate::storage::transfer::Transfer;
use crate::storage::unused_table::UnusedTable;
use crate::storage::write::{Outcome, Write, WriteSink, WriteWhere};

impl<C: Connections> Adapter for C {
    fn capabilities(&self) -> Capabilities {
        C::CAPABILITIES
    }

    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let mut retries = Retries::new();
            loop {
                match migrate(self, resources).await {
                    // On a cluster, what another node creates can abort any statement.
                    Err(MigrateError::Adapter(error)) if C::Driver::is_conflict(&error) && retries.is_left() => {
                        retries.wait().await;
                    }
                    migrated => return migrated,
                }
            }
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

    fn unused_tables<'a>(&'a self, used: &'a [&'static str]) -> BoxFuture<'a, Result<Vec<UnusedTable>, AdapterError>> {
        Box::pin(async move {
            let mut lease = self.reader().await?;
            let found = unused::<C::Driver>(&mut lease, used).await.map_err(C::Driver::general)?;
            C::release(lease);
            Ok(found)
        })
    }

    fn index_use<'a>(&'a self, tables: &'a [&'static str]) -> BoxFuture<'a, Result<IndexUse, AdapterError>> {
        Box::pin(async move {
            let mut lease = self.reader().await?;
            let found = index_use::<C::Driver>(&mut lease, tables).await.map_err(C::Driver::general)?;
            C::release(lease);
            Ok(found)
        })
    }

    fn compare<'a>(
        &'a self,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<Vec<Difference>, AdapterError>> {
        Box::pin(async move {
            let mut lease = self.reader().await?;
            let found = diff::all_differences::<C::Driver>(&mut lease, resources).await.map_err(C::Driver::general)?;
            C::release(lease);
            Ok(found)
        })
    }

    #[cfg(feature = "migrations")]
    fn migrations(&self) -> Option<&dyn Migrations> {
        Some(Connections::migrations(self))
    }

    fn transfer(&self) -> Option<&dyn Transfer> {
        Some(self)
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), AdapterError>> {
        Box::pin(async move {
            Connections::check(self).await?;
            all(self, Statement::fixed(C::Driver::PING, Vec::new())).await.map(drop)
        })
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>> {
        Box::pin(async move {
            let begin = Instant::now();
            list(self, resource, query, sink).await?;
            slow_lists::notice_list(self, resource, query, begin.elapsed()).await;
            Ok(())
        })
    }

    fn count<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        Box::pin(async move {
            let begin = Instant::now();
            let number = self.number(select::count(resource, filter)?.finish()).await?;
            slow_lists::notice_count(self, resource, filter, begin.elapsed()).await;
            Ok(number)
        })
    }

    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        Box::pin(async move {
            let begin = Instant::now();
            let number = self.number(select::count_up_to(resource, filter, limit)?.finish()).await?;
            slow_lists::notice_count(self, resource, filter, begin.elapsed()).await;
            Ok(number)
        })
    }

    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<Option<Total>, AdapterError>> {
        Box::pin(async move {
            let begin = Instant::now();
            let page = if C::IS_REMOTE {
                page_with_total(self, resource, query, count, sink).await?
            } else {
                Connections::page(self, resource, query, count, sink).await?
            };
            match page {
                None => list_and_count(self, resource, query, count, sink).await,
                total => {
                    slow_lists::notice_list(self, resource, query, begin.elapsed()).await;
                    Ok(total)
                }
            }
        })
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Value,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>> {
        Box::pin(self.record(resource, id, sink))
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
        Box::pin(async move { self.change_where(resource, &write).await })
    }

    fn begin(&self) -> BoxFuture<'_, Result<Box<dyn Transaction>, AdapterError>> {
        Box::pin(async move {
            let transaction = SqlTransaction::<C>::new(begin(self).await?);
            Ok(Box::new(transaction) as Box<dyn Transaction>)
        })
    }

    fn begin_brief(&self) -> BoxFuture<'_, Result<Box<dyn Transaction>, AdapterError>> {
        Box::pin(async move {
            let transaction = SqlTransaction::<C>::new(Connections::begin_brief(self).await?);
            Ok(Box::new(transaction) as Box<dyn Transaction>)
        })
    }

    fn position(&self) -> BoxFuture<'_, Result<Option<Position>, AdapterError>> {
        Connections::position(self)
    }

    fn status(&self) -> Option<StorageStatus> {
        Connections::status(self)
    }

    fn set_time_limit(&self, limit: Duration) {
        Connections::set_time_limit(self, limit);
    }

    fn set_slow_statement(&self, threshold: Duration) {
        self.slow_statements().set_threshold(threshold);
    }
}

async fn migrate<C: Connections>(connections: &C, resources: &[&'static Descriptor]) -> Result<(), MigrateError> {
    let mut lease = connections.writer().await?;
    // Where nothing is missing, nothing is locked, so that a role without CREATE suffices.
    if !planned::<C::Driver>(&mut lease, resources).await?.is_empty() {
        C::Driver::create(&mut lease, resources).await?;
    }
    C::release(lease);
    Ok(())
}

async fn planned<D: Driver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<String>, MigrateError> {
    let unfit = D::unfit(connection, resources).await.map_err(D::general)?;
    plan::<D>(connection, resources, unfit).await
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
        let extent = if left.is_some_and(|left| left <= MAX_PAGE) { Extent::Page } else { Extent::All };
        let count = connections.rows(resource, &query.joined, statement.finish(), extent, sink).await?;
        left = left.map(|left| left.saturating_sub(count));
        if left == Some(0) {
            break;
        }
    }
    Ok(())
}
