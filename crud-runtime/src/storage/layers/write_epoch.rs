//! [`WriteEpoch`]: a generation that each write to a watched table changes.

use std::any::Any;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::watch;

use crate::model::column::ColumnType;
use crate::model::descriptor::{Audit, Descriptor};
use crate::model::row::RowSink;
use crate::storage::adapter::{Adapter, AdapterFuture};
use crate::storage::adapter_layer::AdapterLayer;
use crate::storage::session_variables::SessionVariables;
use crate::storage::transaction::{RawStatement, Transaction};
use crate::storage::transaction_layer::TransactionLayer;
use crate::storage::write::{Outcome, Work, WorkWhere, Write, WriteSink, WriteWhere};

/// The generation of a table, which each write of this process to the table changes: data read in another generation
/// may be old. A service without a watched table pays one load for each write.
#[derive(Debug, Default)]
pub(crate) struct WriteEpoch {
    tables: OnceLock<Tables>,
    generation: AtomicU64,
    /// Changes with each write that has entries of the audit log.
    log: LogSignal,
}

/// A signal that changes with each committed write of this process that has entries of the audit log.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogSignal(Arc<watch::Sender<()>>);

impl LogSignal {
    /// A receiver that is notified of each such write.
    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.0.subscribe()
    }
}

/// Notifies on drop: a write whose future is dropped may have happened.
struct Logged<'w>(&'w LogSignal);

impl Drop for Logged<'_> {
    fn drop(&mut self) {
        self.0.0.send_replace(());
    }
}

/// Whether a write has entries of the log.
fn is_logged(resource: &Descriptor, write: &Write<'_>) -> bool {
    write.recorder.is_some() || is_log(resource)
}

/// Whether the resource is the log itself, to which the program writes entries.
fn is_log(resource: &Descriptor) -> bool {
    resource.own_table() == Audit::LOG
}

#[derive(Debug)]
struct Tables {
    watched: &'static str,
    /// Tables whose removals may remove or change records of the watched one: that table refers to them.
    referenced: HashSet<&'static str>,
}

/// Changes the generation on drop: a write whose future is dropped may have happened.
struct Changed<'w>(&'w WriteEpoch);

impl Drop for Changed<'_> {
    fn drop(&mut self) {
        self.0.generation.fetch_add(1, Ordering::AcqRel);
    }
}

impl WriteEpoch {
    /// Watches the table of a resource. A second call is ignored.
    pub(crate) fn watch(&self, resource: &'static Descriptor) {
        self.tables.get_or_init(|| {
            let mut referenced = HashSet::new();
            let mut open = vec![resource];
            while let Some(of) = open.pop() {
                let targets = of.columns.iter().filter_map(|column| column.references).map(|to| (to.target)());
                open.extend(targets.filter(|target| referenced.insert(target.table)));
            }
            Tables { watched: resource.table, referenced }
        });
    }

    /// The generation now.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Whether there is a watched table, which a statement of the program's may write to.
    fn is_used(&self) -> bool {
        self.tables.get().is_some()
    }

    /// Whether a write to the table of a resource may change the watched one.
    fn concern(&self, resource: &Descriptor, removes: bool) -> bool {
        let concerns =
            |tables: &Tables| tables.watched == resource.table || removes && tables.referenced.contains(resource.table);
        self.tables.get().is_some_and(concerns)
    }

    /// Changes the generation at the end of a write that concerns the watched table.
    fn guard(&self) -> Changed<'_> {
        Changed(self)
    }

    /// The signal of writes with entries of the log.
    pub(crate) const fn log(&self) -> &LogSignal {
        &self.log
    }
}

/// Storage whose writes change the epoch of the watched table.
#[derive(Debug)]
pub(crate) struct WatchedTable {
    inner: Arc<dyn Adapter>,
    epoch: Arc<WriteEpoch>,
}

impl WatchedTable {
    pub(crate) fn new(inner: Arc<dyn Adapter>, epoch: Arc<WriteEpoch>) -> Self {
        Self { inner, epoch }
    }

    /// Changes the epoch at the end of a write that concerns the watched table, and signals a write with entries of the
    /// log.
    fn noting<'a, T: Send + 'a>(
        &'a self,
        (concerns, is_logged): (bool, bool),
        write: AdapterFuture<'a, T>,
    ) -> AdapterFuture<'a, T> {
        let is_logged = is_logged && self.epoch.log.0.receiver_count() > 0;
        if !concerns && !is_logged {
            return write;
        }
        Box::pin(async move {
            let _logged = is_logged.then(|| Logged(&self.epoch.log));
            let _changed = concerns.then(|| self.epoch.guard());
            write.await
        })
    }

    fn begun<'a>(&'a self, begin: AdapterFuture<'a, Box<dyn Transaction>>) -> AdapterFuture<'a, Box<dyn Transaction>> {
        let epoch = self.epoch.clone();
        Box::pin(async move {
            let inner = begin.await?;
            let transaction = WatchedTransaction { inner, epoch, concerns_watched: false, is_logged: false };
            Ok(Box::new(transaction) as Box<dyn Transaction>)
        })
    }
}

impl AdapterLayer for WatchedTable {
    fn inner(&self) -> &dyn Adapter {
        &*self.inner
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        Some(Arc::new(Self { inner: self.inner.session(variables)?, epoch: self.epoch.clone() }))
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        let concerns = self.epoch.concern(resource, removes(write.work));
        let is_logged = is_logged(resource, &write);
        self.noting((concerns, is_logged), self.inner.write(resource, write, sink))
    }

    fn write_where<'a>(&'a self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        let concerns = self.epoch.concern(resource, write.work == WorkWhere::Purge);
        let is_logged = write.recorder.is_some();
        self.noting((concerns, is_logged), self.inner.write_where(resource, write))
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        self.begun(self.inner.begin())
    }

    fn begin_short(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        self.begun(self.inner.begin_short())
    }
}

/// A transaction whose commit changes the epoch where it may have changed the watched table.
struct WatchedTransaction {
    inner: Box<dyn Transaction>,
    epoch: Arc<WriteEpoch>,
    concerns_watched: bool,
    is_logged: bool,
}

impl TransactionLayer for WatchedTransaction {
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
        self.concerns_watched |= self.epoch.concern(resource, removes(write.work));
        self.is_logged |= is_logged(resource, &write);
        self.inner.write(resource, write, sink)
    }

    fn write_where<'a>(&'a mut self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        self.concerns_watched |= self.epoch.concern(resource, write.work == WorkWhere::Purge);
        self.is_logged |= write.recorder.is_some();
        self.inner.write_where(resource, write)
    }

    fn execute(&mut self, statement: RawStatement) -> AdapterFuture<'_, u64> {
        // A statement of the program's may be on any table.
        self.concerns_watched |= self.epoch.is_used();
        self.inner.execute(statement)
    }

    fn fetch<'a>(
        &'a mut self,
        statement: RawStatement,
        columns: &'a [ColumnType],
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        self.concerns_watched |= self.epoch.is_used();
        self.inner.fetch(statement, columns, sink)
    }

    fn connection(&mut self) -> Option<&mut (dyn Any + Send)> {
        self.concerns_watched |= self.epoch.is_used();
        self.inner.connection()
    }

    fn commit(&mut self) -> AdapterFuture<'_, ()> {
        if !self.concerns_watched && !self.is_logged {
            return self.inner.commit();
        }
        let Self { inner, epoch, concerns_watched, is_logged } = self;
        Box::pin(async move {
            let _logged = is_logged.then(|| Logged(&epoch.log));
            let _changed = concerns_watched.then(|| epoch.guard());
            inner.commit().await
        })
    }
}

/// Whether changes remove records for good, which may remove or change others that refer to them.
const fn removes(work: Work<'_>) -> bool {
    matches!(work, Work::Delete(_) | Work::Purge(_))
}

#[cfg(test)]
mod tests {
    use super::WriteEpoch;
    use crate::Resource;

    #[derive(Resource)]
    struct Team {
        id: i64,
    }

    #[derive(Resource)]
    struct Member {
        id: i64,
        #[crud(references(Team, on_delete(cascade)))]
        team_id: i64,
    }

    #[test]
    fn writes_concern_the_watched_table_and_removals_what_it_refers_to() {
        let writes = WriteEpoch::default();
        assert!(!writes.concern(Member::DESCRIPTOR, true) && !writes.is_used());
        writes.watch(Member::DESCRIPTOR);
        assert!(writes.concern(Member::DESCRIPTOR, false) && writes.is_used());
        assert!(writes.concern(Team::DESCRIPTOR, true) && !writes.concern(Team::DESCRIPTOR, false));
        let before = writes.generation();
        drop(writes.guard());
        assert_ne!(before, writes.generation());
    }
}
