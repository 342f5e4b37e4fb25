//! [`MemoryTransaction`]: several calls that become visible together.

use std::sync::Arc;

use crud_runtime::adapter::{
    AdapterError, AdapterFuture, Key, Outcome, RowSink, Transaction, Write, WriteSink, WriteWhere, list_and_count_in,
};
use crud_runtime::column::Value;
use crud_runtime::descriptor::{Count, Descriptor};
use crud_runtime::query::{ListQuery, Predicate, Total};
use tokio::sync::OwnedMutexGuard;

use crate::shared::Shared;
use crate::tables::Tables;
use crate::write;

/// A transaction: a copy of the tables, which its commit publishes. It is the only writer until it ends, so it locks
/// every record and never conflicts.
pub(crate) struct MemoryTransaction {
    shared: Arc<Shared>,
    /// The lock of the writer, released with the transaction.
    _turn: OwnedMutexGuard<()>,
    tables: Tables,
    /// The tables as they were at each savepoint.
    savepoints: Vec<Tables>,
}

impl MemoryTransaction {
    /// A transaction on the current tables. `turn` is the lock of the writer.
    pub(crate) fn new(shared: Arc<Shared>, turn: OwnedMutexGuard<()>) -> Self {
        let tables = Tables::clone(&shared.read());
        Self { shared, _turn: turn, tables, savepoints: Vec::new() }
    }

    fn latest_savepoint(&mut self) -> Result<Tables, AdapterError> {
        self.savepoints.pop().ok_or_else(|| AdapterError::Other("the transaction has no savepoint".into()))
    }
}

impl Transaction for MemoryTransaction {
    fn list<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        _: bool,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        Box::pin(async move { self.tables.list(resource, query, sink) })
    }

    fn count<'a>(&'a mut self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        Box::pin(async move { self.tables.count(resource, filter) })
    }

    fn count_up_to<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        Box::pin(async move { Ok(self.tables.count(resource, filter)?.min(limit)) })
    }

    fn page<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        Box::pin(list_and_count_in(self, resource, query, count, sink))
    }

    fn get<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        _: bool,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        Box::pin(async move { self.tables.find(resource, id, tenant, sink) })
    }

    fn write<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        Box::pin(async move {
            let mut next = self.tables.clone();
            let (attempts, commit) = write::write(&mut next, resource, &write)?;
            if commit {
                self.tables = next;
            }
            write::outcomes(attempts, commit, sink)
        })
    }

    fn write_where<'a>(&'a mut self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        Box::pin(async move {
            let mut next = self.tables.clone();
            let count = write::write_where(&mut next, resource, &write)?;
            self.tables = next;
            Ok(count)
        })
    }

    fn savepoint(&mut self) -> AdapterFuture<'_, ()> {
        self.savepoints.push(self.tables.clone());
        Box::pin(async { Ok(()) })
    }

    fn release(&mut self) -> AdapterFuture<'_, ()> {
        Box::pin(async { self.latest_savepoint().map(drop) })
    }

    fn rollback_to(&mut self) -> AdapterFuture<'_, ()> {
        Box::pin(async {
            self.tables = self.latest_savepoint()?;
            Ok(())
        })
    }

    fn is_conflict(&self, _: &AdapterError) -> bool {
        false
    }

    fn commit(&mut self) -> AdapterFuture<'_, ()> {
        self.shared.publish(self.tables.clone());
        Box::pin(async { Ok(()) })
    }

    fn rollback(&mut self) -> AdapterFuture<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}
