//! [`OneTenant`]: storage of a service that is sharded by tenant, whose transactions belong to one tenant each.
//!
//! A transaction over two shards can be committed on one of them alone. A change that would make a transaction one of two
//! tenants, or of a tenant and of a table without tenants, is therefore refused before it is sent.

mod home;
mod log;
mod lookup;
mod own_rows;
mod places;
mod subqueries;
mod transaction;

use std::sync::Arc;

use self::home::Belonging;
use self::log::with_tenants;
use self::lookup::Records;
use self::places::TablePlacement;
pub(crate) use self::places::{ShardedTables, root_of};
use self::transaction::OneTenantTransaction;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::row::RowSink;
use crate::query::{AggregateQuery, Group, ListQuery, Predicate, Total};
use crate::storage::adapter::{Adapter, AdapterFuture};
use crate::storage::adapter_layer::AdapterLayer;
use crate::storage::session_variables::SessionVariables;
use crate::storage::transaction::Transaction;
use crate::storage::write::{Outcome, Work, Write, WriteSink, WriteWhere};

/// Storage whose transactions belong to one tenant each.
#[derive(Debug)]
pub(crate) struct OneTenant {
    inner: Arc<dyn Adapter>,
    tables: Arc<ShardedTables>,
}

impl OneTenant {
    pub(crate) fn new(inner: Arc<dyn Adapter>, tables: Arc<ShardedTables>) -> Self {
        Self { inner, tables }
    }

    fn begun<'a>(&'a self, begin: AdapterFuture<'a, Box<dyn Transaction>>) -> AdapterFuture<'a, Box<dyn Transaction>> {
        Box::pin(async move {
            let transaction = OneTenantTransaction::new(begin.await?, self.tables.clone());
            Ok(Box::new(transaction) as Box<dyn Transaction>)
        })
    }

    async fn changed(
        &self,
        resource: &'static Descriptor,
        mut write: Write<'_>,
        sink: &mut dyn WriteSink,
    ) -> Result<Vec<Outcome>, AdapterError> {
        let place = self.tables.place(resource);
        // Audit entries of reads may be of several tenants; each entry is a change by itself.
        let is_entry = matches!((place, write.work), (TablePlacement::Own(_), Work::Insert(_)));
        let mut records = Records::Storage(&*self.inner);
        let mut found = None;
        if !is_entry {
            found = Belonging::default().join(place, resource, &write, &mut records).await?;
        }
        let rows = own_rows::with_tenant(place, resource, write.work, "");
        write.work = rows.as_deref().map_or(write.work, Work::Insert);
        write.tenant = write.tenant.or(found.as_ref());
        write.recorder = with_tenants(place, resource, write.recorder);
        Ok(own_rows::of_columns(resource, self.inner.write(resource, write, sink).await?))
    }
}

impl AdapterLayer for OneTenant {
    fn inner(&self) -> &dyn Adapter {
        &*self.inner
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        Some(Arc::new(Self { inner: self.inner.session(variables)?, tables: self.tables.clone() }))
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        Box::pin(async move {
            let query = self.tables.of_tenant_in_list(resource, query);
            self.inner.list(resource, &query, sink).await
        })
    }

    fn count<'a>(&'a self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        Box::pin(async move { self.inner.count(resource, &self.tables.of_tenant_in(resource, filter)).await })
    }

    fn count_up_to<'a>(
        &'a self,
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
        &'a self,
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
        &'a self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        Box::pin(async move {
            let query = self.tables.of_tenant_in_aggregate(resource, query);
            self.inner.aggregate(resource, &query).await
        })
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        Box::pin(self.changed(resource, write, sink))
    }

    fn write_where<'a>(&'a self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        match self.tables.place(resource).home_of_all(resource, write.tenant) {
            Ok(_) => self.inner.write_where(resource, write),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        self.begun(self.inner.begin())
    }

    fn begin_short(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        self.begun(self.inner.begin_short())
    }
}
