//! [`MemoryTransaction`]: a transaction of several calls.

use std::fmt;
use std::sync::Arc;

use crud_runtime::Value;
use crud_runtime::adapter::{AdapterError, BoxFuture, Outcome, RowSink, Transaction, Write, WriteSink, WriteWhere};
use crud_runtime::descriptor::Descriptor;
use crud_runtime::query::{ListQuery, Predicate};

use crate::adapter::{Memory, WriterGuard};
use crate::tables::Tables;
use crate::write;

/// The only writer, on a copy of the tables, which replaces them when it commits. Dropped, it leaves them as they are.
pub(crate) struct MemoryTransaction {
    memory: Memory,
    tables: Tables,
    /// The tables at each open savepoint.
    savepoints: Vec<Tables>,
    _writer: WriterGuard,
}

impl fmt::Debug for MemoryTransaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryTransaction").field("savepoints", &self.savepoints.len()).finish_non_exhaustive()
    }
}

impl MemoryTransaction {
    pub(crate) fn new(memory: Memory, writer: WriterGuard) -> Self {
        let tables = Tables::clone(&memory.read());
        Self { memory, tables, savepoints: Vec::new(), _writer: writer }
    }

    fn savepoint_tables(&mut self) -> Result<Tables, AdapterError> {
        self.savepoints.pop().ok_or_else(|| AdapterError::Other("there is no savepoint".into()))
    }
}

// It is the only writer: what it reads is locked.
impl Transaction for MemoryTransaction {
    fn list<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        _lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>> {
        Box::pin(async move { self.tables.list(resource, query, sink) })
    }

    fn count<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        Box::pin(async move { self.tables.count(resource, filter) })
    }

    fn get<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        id: &'a Value,
        _lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>> {
        Box::pin(async move { self.tables.find(resource, id, sink) })
    }

    fn write<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, AdapterError>> {
        Box::pin(async move {
            let mut next = self.tables.clone();
            let (attempts, is_kept) = write::write(&mut next, resource, &write)?;
            if is_kept {
                self.tables = next;
            }
            write::report(attempts, is_kept, sink)
        })
    }

    fn write_where<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        write: WriteWhere<'a>,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        Box::pin(async move {
            let mut next = self.tables.clone();
            let count = write::write_where(&mut next, resource, &write)?;
            self.tables = next;
            Ok(count)
        })
    }

    fn savepoint(&mut self) -> BoxFuture<'_, Result<(), AdapterError>> {
        self.savepoints.push(self.tables.clone());
        Box::pin(async { Ok(()) })
    }

    fn release(&mut self) -> BoxFuture<'_, Result<(), AdapterError>> {
        Box::pin(async { self.savepoint_tables().map(drop) })
    }

    fn rollback_to(&mut self) -> BoxFuture<'_, Result<(), AdapterError>> {
        Box::pin(async {
            self.tables = self.savepoint_tables()?;
            Ok(())
        })
    }

    fn is_conflict(&self, _: &AdapterError) -> bool {
        false
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<(), AdapterError>> {
        self.memory.replace(Arc::new(self.tables.clone()));
        Box::pin(async { Ok(()) })
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<(), AdapterError>> {
        Box::pin(async { Ok(()) })
    }
}
