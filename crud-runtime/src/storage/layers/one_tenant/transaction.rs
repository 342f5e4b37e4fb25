//! [`OneTenantTransaction`]: a transaction of one tenant.

use std::sync::Arc;

use super::home::{Belonging, Home};
use super::log::{NewRoot, with_tenants};
use super::lookup::Records;
use super::own_rows;
use super::places::{ShardedTables, TablePlacement};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::key::Key;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{AggregateQuery, Group, ListQuery, Predicate, Total};
use crate::storage::adapter::AdapterFuture;
use crate::storage::transaction::Transaction;
use crate::storage::transaction_layer::TransactionLayer;
use crate::storage::write::{Outcome, Work, Write, WriteSink, WriteWhere};

/// A transaction that refuses changes of another tenant than that of its first change. The program's own SQL statements
/// are not checked.
pub(super) struct OneTenantTransaction {
    inner: Box<dyn Transaction>,
    tables: Arc<ShardedTables>,
    belonging: Belonging,
}

impl OneTenantTransaction {
    pub(super) fn new(inner: Box<dyn Transaction>, tables: Arc<ShardedTables>) -> Self {
        Self { inner, tables, belonging: Belonging::default() }
    }

    async fn changed(
        &mut self,
        resource: &'static Descriptor,
        mut write: Write<'_>,
        sink: &mut dyn WriteSink,
    ) -> Result<Vec<Outcome>, AdapterError> {
        let place = self.tables.place(resource);
        let mut records = Records::Transaction(&mut *self.inner);
        let found = self.belonging.join(place, resource, &write, &mut records).await?;
        let rows = own_rows::with_tenant(place, resource, write.work, self.belonging.tenant().unwrap_or_default());
        write.work = rows.as_deref().map_or(write.work, Work::Insert);
        write.tenant = write.tenant.or(found.as_ref());
        write.recorder = with_tenants(place, resource, write.recorder);
        if !matches!(place, TablePlacement::Root) {
            return Ok(own_rows::of_columns(resource, self.inner.write(resource, write, sink).await?));
        }
        let mut sink = NewRoot::new(resource, sink);
        let outcomes = self.inner.write(resource, write, &mut sink).await?;
        sink.key.into_iter().for_each(|key| self.belonging.name_new(key));
        Ok(outcomes)
    }
}

impl TransactionLayer for OneTenantTransaction {
    fn inner(&mut self) -> &mut dyn Transaction {
        &mut *self.inner
    }

    fn inner_ref(&self) -> &dyn Transaction {
        &*self.inner
    }

    fn list<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        Box::pin(async move {
            let query = self.tables.of_tenant_in_list(resource, query);
            self.inner.list(resource, &query, lock, sink).await
        })
    }

    fn count<'a>(&'a mut self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        Box::pin(async move { self.inner.count(resource, &self.tables.of_tenant_in(resource, filter)).await })
    }

    fn count_up_to<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        Box::pin(async move {
            let filter = self.tables.of_tenant_in(resource, filter);
            self.inner.count_up_to(resource, &filter, limit).await
        })
    }

    fn page<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        Box::pin(async move {
            let query = self.tables.of_tenant_in_list(resource, query);
            self.inner.page(resource, &query, count, sink).await
        })
    }

    fn aggregate<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        Box::pin(async move {
            let query = self.tables.of_tenant_in_aggregate(resource, query);
            self.inner.aggregate(resource, &query).await
        })
    }

    fn get<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        let own = match (self.tables.place(resource), tenant) {
            (TablePlacement::Own(_), None) => self.belonging.tenant().map(|tenant| Value::Text(tenant.to_owned())),
            _ => None,
        };
        Box::pin(async move { self.inner.get(resource, id, tenant.or(own.as_ref()), lock, sink).await })
    }

    fn tenant(&self) -> Option<String> {
        self.belonging.tenant().map(str::to_owned)
    }

    fn bind(&mut self, tenant: &Value) -> Result<(), AdapterError> {
        self.belonging.add(Home::tenant(tenant))
    }

    fn write<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        Box::pin(self.changed(resource, write, sink))
    }

    fn write_where<'a>(&'a mut self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        let home = self.tables.place(resource).home_of_all(resource, write.tenant);
        match home.and_then(|home| self.belonging.add(home)) {
            Ok(()) => self.inner.write_where(resource, write),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }
}
