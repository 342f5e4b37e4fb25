//! [`Records`]: finds the tenant of a record whose change names none.

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::{Row, RowSink};
use crate::model::stored_value::stored_value;
use crate::model::value::Value;
use crate::storage::adapter::Adapter;
use crate::storage::transaction::Transaction;

/// Records of storage, or as a transaction sees them.
pub(super) enum Records<'a> {
    Storage(&'a dyn Adapter),
    Transaction(&'a mut dyn Transaction),
}

/// A sink that takes the tenant of a record.
struct TenantOf {
    resource: &'static Descriptor,
    column: usize,
    found: Option<Value>,
}

impl RowSink for TenantOf {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.found = Some(stored_value(self.resource, self.column, row)?);
        Ok(())
    }
}

impl Records<'_> {
    /// Whether the records are as a transaction sees them.
    pub(super) const fn are_of_transaction(&self) -> bool {
        matches!(self, Self::Transaction(_))
    }

    /// The tenant of a record, in a column of the description that storage has; none where there is no record. Every
    /// shard is queried.
    ///
    /// # Errors
    /// Errors of the read.
    pub(super) async fn tenant(
        &mut self,
        resource: &'static Descriptor,
        (described, column): (&'static Descriptor, usize),
        key: &Key,
    ) -> Result<Option<Value>, AdapterError> {
        tracing::debug!(target: "crud::tenants", resource = resource.name, "a change that names no tenant reads every shard");
        let mut sink = TenantOf { resource: described, column, found: None };
        match self {
            Self::Storage(adapter) => adapter.get(resource, key, None, &mut sink).await?,
            Self::Transaction(transaction) => transaction.get(resource, key, None, false, &mut sink).await?,
        };
        Ok(sink.found)
    }
}
