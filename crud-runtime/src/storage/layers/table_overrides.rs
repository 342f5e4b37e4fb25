//! [`TableOverrides`]: descriptions that storage gets in place of the resources' own.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use chrono::{DateTime, Utc};

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::Row;
use crate::model::value::Value;
use crate::storage::adapter::{Adapter, AdapterFuture};
use crate::storage::adapter_layer::AdapterLayer;
use crate::storage::session_variables::SessionVariables;
use crate::storage::transaction::Transaction;
use crate::storage::transaction_layer::TransactionLayer;
use crate::storage::write::{Outcome, Recorder, Write, WriteSink, WriteWhere};

/// Descriptions that storage gets in place of others with the same columns: the service's own tables are in a schema,
/// or tables of resources are another program's. The replaced descriptions are known by their addresses.
#[derive(Debug, Default)]
pub(crate) struct TableOverrides {
    /// Whether there are any: most services have none, and a call costs one load.
    is_used: AtomicBool,
    others: RwLock<HashMap<usize, &'static Descriptor>>,
}

impl TableOverrides {
    /// The description that storage gets.
    pub(crate) fn of(&self, resource: &'static Descriptor) -> &'static Descriptor {
        if !self.is_used.load(Ordering::Relaxed) {
            return resource;
        }
        let others = self.others.read().unwrap_or_else(PoisonError::into_inner);
        others.get(&address(resource)).copied().unwrap_or(resource)
    }

    /// Puts a description in the place of another one.
    pub(crate) fn insert(&self, resource: &'static Descriptor, other: &'static Descriptor) {
        self.others.write().unwrap_or_else(PoisonError::into_inner).insert(address(resource), other);
        self.is_used.store(true, Ordering::Relaxed);
    }

    /// The recorder of a write, whose entries are records of the log that storage gets.
    fn recorder(&self, recorder: Option<Arc<dyn Recorder>>) -> Option<Arc<dyn Recorder>> {
        let recorder = recorder?;
        let log = self.of(recorder.log());
        if std::ptr::eq(log, recorder.log()) {
            return Some(recorder);
        }
        Some(Arc::new(InLog { recorder, log }))
    }
}

fn address(resource: &'static Descriptor) -> usize {
    std::ptr::from_ref(resource).addr()
}

/// A recorder whose entries are records of another log.
#[derive(Debug)]
struct InLog {
    recorder: Arc<dyn Recorder>,
    log: &'static Descriptor,
}

impl Recorder for InLog {
    fn log(&self) -> &'static Descriptor {
        self.log
    }

    fn entry(
        &self,
        time: DateTime<Utc>,
        before: Option<&dyn Row>,
        after: Option<&dyn Row>,
    ) -> Result<Vec<Value>, AdapterError> {
        self.recorder.entry(time, before, after)
    }
}

/// Storage that gets the descriptions of the overrides.
#[derive(Debug)]
pub(crate) struct OverriddenTables {
    inner: Arc<dyn Adapter>,
    overrides: Arc<TableOverrides>,
}

impl OverriddenTables {
    pub(crate) fn new(inner: Arc<dyn Adapter>, overrides: Arc<TableOverrides>) -> Self {
        Self { inner, overrides }
    }

    fn begun<'a>(&'a self, begin: AdapterFuture<'a, Box<dyn Transaction>>) -> AdapterFuture<'a, Box<dyn Transaction>> {
        let overrides = self.overrides.clone();
        Box::pin(async move {
            Ok(Box::new(OverriddenTransaction { inner: begin.await?, overrides }) as Box<dyn Transaction>)
        })
    }
}

impl AdapterLayer for OverriddenTables {
    fn inner(&self) -> &dyn Adapter {
        &*self.inner
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        Some(Arc::new(Self { inner: self.inner.session(variables)?, overrides: self.overrides.clone() }))
    }

    fn described(&self, resource: &'static Descriptor) -> &'static Descriptor {
        self.overrides.of(resource)
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        mut write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        write.recorder = self.overrides.recorder(write.recorder);
        self.inner.write(self.overrides.of(resource), write, sink)
    }

    fn write_where<'a>(&'a self, resource: &'static Descriptor, mut write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        write.recorder = self.overrides.recorder(write.recorder);
        self.inner.write_where(self.overrides.of(resource), write)
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        self.begun(self.inner.begin())
    }

    fn begin_short(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        self.begun(self.inner.begin_short())
    }
}

/// A transaction that gets the descriptions of the overrides.
struct OverriddenTransaction {
    inner: Box<dyn Transaction>,
    overrides: Arc<TableOverrides>,
}

impl TransactionLayer for OverriddenTransaction {
    fn inner(&mut self) -> &mut dyn Transaction {
        &mut *self.inner
    }

    fn inner_ref(&self) -> &dyn Transaction {
        &*self.inner
    }

    fn described(&self, resource: &'static Descriptor) -> &'static Descriptor {
        self.overrides.of(resource)
    }

    fn write<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        mut write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        write.recorder = self.overrides.recorder(write.recorder);
        self.inner.write(self.overrides.of(resource), write, sink)
    }

    fn write_where<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        mut write: WriteWhere<'a>,
    ) -> AdapterFuture<'a, u64> {
        write.recorder = self.overrides.recorder(write.recorder);
        self.inner.write_where(self.overrides.of(resource), write)
    }
}
