//! [`OneTenantTransaction`]: a transaction of one tenant.

use std::sync::Arc;

use super::home::Belonging;
use super::lookup::Records;
use super::places::{Place, ShardedTables};
use super::root::{NewRoot, with_tenant_of_root};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::value::Value;
use crate::storage::adapter::AdapterFuture;
use crate::storage::transaction::Transaction;
use crate::storage::transaction_layer::TransactionLayer;
use crate::storage::write::{Outcome, Work, Write, WriteSink, WriteWhere};

/// A transaction that refuses changes of another tenant than its first one's. Statements of the program's own are not read.
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
        let filled = self.filled(place, write.work);
        write.work = filled.as_deref().map_or(write.work, Work::Insert);
        write.tenant = write.tenant.or(found.as_ref());
        write.recorder = with_tenant_of_root(place, resource, write.recorder);
        if place != Place::Root {
            return self.inner.write(resource, write, sink).await;
        }
        let mut sink = NewRoot::new(resource, sink);
        let outcomes = self.inner.write(resource, write, &mut sink).await?;
        sink.key.into_iter().for_each(|key| self.belonging.name_new(key));
        Ok(outcomes)
    }

    /// New rows of the service itself without a tenant, with that of the transaction.
    fn filled(&self, place: Place, work: Work<'_>) -> Option<Vec<Vec<Value>>> {
        let (Place::Own(Some(column)), Work::Insert(rows), Some(tenant)) = (place, work, self.belonging.tenant())
        else {
            return None;
        };
        if rows.iter().all(|row| row[column] != Value::Null) {
            return None;
        }
        let mut rows = rows.to_vec();
        for row in rows.iter_mut().filter(|row| row[column] == Value::Null) {
            row[column] = Value::Text(tenant.to_owned());
        }
        Some(rows)
    }
}

impl TransactionLayer for OneTenantTransaction {
    fn inner(&mut self) -> &mut dyn Transaction {
        &mut *self.inner
    }

    fn inner_ref(&self) -> &dyn Transaction {
        &*self.inner
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
