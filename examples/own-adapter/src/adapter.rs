//! [`Memory`]: the adapter.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use crud_runtime::Value;
use crud_runtime::adapter::{
    Adapter, AdapterError, BoxFuture, Capabilities, MigrateError, Outcome, RowSink, Write, WriteSink, WriteWhere,
};
use crud_runtime::descriptor::Descriptor;
use crud_runtime::query::{ListQuery, Predicate};

use crate::list::list;
use crate::predicate::satisfies;
use crate::tables::Tables;
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
/// let service = Service::adapter(Memory::new()).resource::<Note>().migrate().await?;
/// let note = service.store::<Note>().create(NewNote { text: "remember".to_owned() }).await?;
/// assert_eq!(service.store::<Note>().get(note.id).await?.text, "remember");
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct Memory {
    tables: Arc<RwLock<Arc<Tables>>>,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A log must not contain records.
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

impl Memory {
    /// Creates an empty storage.
    pub fn new() -> Self {
        Self::default()
    }

    /// A snapshot of the tables.
    fn read(&self) -> Arc<Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs a transaction: one at a time, on a copy of the tables, which replaces them only if the transaction commits.
    ///
    /// A panic leaves the tables unchanged, so a poisoned lock is safe to use.
    fn transaction<T, E>(&self, run: impl FnOnce(&mut Tables) -> Result<(T, bool), E>) -> Result<(T, bool), E> {
        let mut current = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = Tables::clone(&current);
        let (result, commit) = run(&mut next)?;
        if commit {
            *current = Arc::new(next);
        }
        Ok((result, commit))
    }
}

// Nothing here waits: every future is ready when first polled.
impl Adapter for Memory {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new().with_transactions()
    }

    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        let create = |tables: &mut Tables| {
            tables.missing(resources)?.into_iter().for_each(|resource| tables.create(resource));
            Ok(((), true))
        };
        Box::pin(async move { self.transaction(create).map(drop) })
    }

    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        let line = |resource: &Descriptor| format!("create table `{}`", resource.table);
        Box::pin(async move { Ok(self.read().missing(resources)?.into_iter().map(line).collect()) })
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), AdapterError>> {
        Box::pin(async { Ok(()) })
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>> {
        Box::pin(
            async move { list(self.read().get(resource.table)?, query).into_iter().try_for_each(|it| sink.row(it)) },
        )
    }

    fn count<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        Box::pin(async move {
            let tables = self.read();
            let records = tables.get(resource.table)?.records.values();
            Ok(records.filter(|record| satisfies(filter, record)).count() as u64)
        })
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Value,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>> {
        Box::pin(async move {
            match self.read().get(resource.table)?.get(id) {
                Some(record) => sink.row(&**record).map(|()| true),
                None => Ok(false),
            }
        })
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, AdapterError>> {
        Box::pin(async move {
            let (attempts, commit) = self.transaction(|tables| write::write(tables, resource, &write))?;
            for (index, changed) in attempts.iter().enumerate().filter(|_| commit) {
                if let Some(record) = changed.as_ref().ok().and_then(|changed| changed.record()) {
                    sink.record(index, record)?;
                }
            }
            Ok(attempts.into_iter().map(|attempt| attempt.map_or_else(|outcome| outcome, |_| Outcome::Done)).collect())
        })
    }

    fn write_where<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: WriteWhere<'a>,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        let all = move |tables: &mut Tables| Ok((write::write_where(tables, resource, &write)?, true));
        Box::pin(async move { self.transaction(all).map(|(count, _)| count) })
    }
}
