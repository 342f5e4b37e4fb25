//! [`Memory`]: the adapter.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use crud_runtime::Value;
use crud_runtime::adapter::{
    Adapter, AdapterError, BoxFuture, MigrateError, Outcome, RowSink, Write, WriteSink, WriteWhere,
};
use crud_runtime::descriptor::Descriptor;
use crud_runtime::query::{ListQuery, Predicate};

use crate::condition::holds;
use crate::list::list;
use crate::tables::Tables;
use crate::write;

/// Keeps records in memory, for as long as it or a copy of it lives: copies are the same storage.
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
        // Records are nobody's business in a log.
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

impl Memory {
    /// A storage with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// The tables as they are now, whatever becomes of them.
    fn read(&self) -> Arc<Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the tables, alone; they stay as they are unless the change says that it stands.
    ///
    /// A change that panics leaves the tables as they were, so that the lock's poison is none.
    fn change<T, E>(&self, change: impl FnOnce(&mut Tables) -> Result<(T, bool), E>) -> Result<(T, bool), E> {
        let mut current = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = Tables::clone(&current);
        let (result, stands) = change(&mut next)?;
        if stands {
            *current = Arc::new(next);
        }
        Ok((result, stands))
    }
}

// Nothing here waits: the futures are done when they are first asked.
impl Adapter for Memory {
    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        let create = |tables: &mut Tables| {
            tables.missing(resources)?.into_iter().for_each(|resource| tables.create(resource));
            Ok(((), true))
        };
        Box::pin(async move { self.change(create).map(drop) })
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
            Ok(records.filter(|record| holds(filter, record)).count() as u64)
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
            let (attempts, stands) = self.change(|tables| write::write(tables, resource, &write))?;
            for (index, changed) in attempts.iter().enumerate().filter(|_| stands) {
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
        Box::pin(async move { self.change(all).map(|(count, _)| count) })
    }
}
