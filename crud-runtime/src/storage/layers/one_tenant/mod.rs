//! [`OneTenant`]: storage of a service that is sharded by tenant, whose transactions belong to one tenant each.
//!
//! A transaction over two shards can be committed on one of them alone. A change that would make a transaction one of two
//! tenants, or of a tenant and of a table without tenants, is therefore refused before it is sent.

mod home;
mod lookup;
mod places;
mod root;
mod transaction;

use std::sync::Arc;

use self::home::Belonging;
use self::lookup::Records;
pub(crate) use self::places::{ShardedTables, root_of};
use self::root::with_tenant_of_root;
use self::transaction::OneTenantTransaction;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::adapter::{Adapter, AdapterFuture};
use crate::storage::adapter_layer::AdapterLayer;
use crate::storage::session_variables::SessionVariables;
use crate::storage::transaction::Transaction;
use crate::storage::write::{Outcome, Write, WriteSink, WriteWhere};

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
        let mut belonging = Belonging::default();
        let found = belonging.join(place, resource, &write, &mut Records::Storage(&*self.inner)).await?;
        write.tenant = write.tenant.or(found.as_ref());
        write.recorder = with_tenant_of_root(place, resource, write.recorder);
        self.inner.write(resource, write, sink).await
    }
}

impl AdapterLayer for OneTenant {
    fn inner(&self) -> &dyn Adapter {
        &*self.inner
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        Some(Arc::new(Self { inner: self.inner.session(variables)?, tables: self.tables.clone() }))
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        // Entries of reads are of several tenants: each is a change by itself.
        if self.tables.place(resource).is_own() {
            return self.inner.write(resource, write, sink);
        }
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
