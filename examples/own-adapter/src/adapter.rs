//! [`Memory`]: the adapter.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crud_runtime::adapter::{
    Adapter, AdapterFuture, Administration, BoxFuture, Capabilities, Key, MigrateError, Outcome, RowSink, Transaction,
    Write, WriteSink, WriteWhere, list_and_count,
};
use crud_runtime::column::Value;
use crud_runtime::descriptor::{Count, Descriptor};
use crud_runtime::query::{ListQuery, Predicate, Total};
use tokio::sync::Mutex;

use crate::shared::Shared;
use crate::tables::Tables;
use crate::transaction::MemoryTransaction;
use crate::write;

/// Storage in memory. Clones share it, and it is freed with the last one.
///
/// ```
/// use crud_runtime::prelude::*;
/// use own_adapter::Memory;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Note { id: i64, text: String }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// let service = Service::from_adapter(Memory::new()).resource::<Note>().migrate().await?;
/// let note = service.store::<Note>().create(NewNote { text: "remember".to_owned() }).await?;
/// assert_eq!(service.store::<Note>().get(note.id).await?.text, "remember");
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct Memory {
    tables: Arc<Shared>,
    /// The lock of the writer.
    writer: Arc<Mutex<()>>,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Records are left out: they must not get into logs.
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

impl Memory {
    /// Creates an empty storage.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs work as the only writer, on a copy of the tables, which replaces them only if the work commits.
    async fn transaction<T, E>(&self, run: impl FnOnce(&mut Tables) -> Result<(T, bool), E>) -> Result<(T, bool), E> {
        let _turn = self.writer.lock().await;
        let mut next = Tables::clone(&self.tables.read());
        let (result, commit) = run(&mut next)?;
        if commit {
            self.tables.publish(next);
        }
        Ok((result, commit))
    }
}

// Only writers wait here, for one another.
impl Adapter for Memory {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new().with_interactive().with_one_writer().with_full_text().with_ranks()
    }

    fn ping(&self) -> AdapterFuture<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        Box::pin(async move { self.tables.read().list(resource, query, sink) })
    }

    fn count<'a>(&'a self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        Box::pin(async move { self.tables.read().count(resource, filter) })
    }

    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        Box::pin(async move { Ok(self.tables.read().count(resource, filter)?.min(limit)) })
    }

    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        Box::pin(list_and_count(self, resource, query, count, sink))
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        Box::pin(async move { self.tables.read().find(resource, id, tenant, sink) })
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        Box::pin(async move {
            let (attempts, commit) = self.transaction(|tables| write::write(tables, resource, &write)).await?;
            write::outcomes(attempts, commit, sink)
        })
    }

    fn write_where<'a>(&'a self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        let all = move |tables: &mut Tables| Ok((write::write_where(tables, resource, &write)?, true));
        Box::pin(async move { self.transaction(all).await.map(|(count, _)| count) })
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        Box::pin(async move {
            let turn = self.writer.clone().lock_owned().await;
            Ok(Box::new(MemoryTransaction::new(self.tables.clone(), turn)) as Box<dyn Transaction>)
        })
    }
}

impl Administration for Memory {
    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        let create = |tables: &mut Tables| {
            tables.missing(resources)?.into_iter().for_each(|resource| tables.create(resource));
            Ok(((), true))
        };
        Box::pin(async move { self.transaction(create).await.map(drop) })
    }

    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        let line = |resource: &Descriptor| format!("create table `{}`", resource.table);
        Box::pin(async move { Ok(self.tables.read().missing(resources)?.into_iter().map(line).collect()) })
    }

    fn set_time_limit(&self, _: Duration) {}
}
