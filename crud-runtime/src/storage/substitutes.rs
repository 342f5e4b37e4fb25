//! [`Substitutes`]: descriptions of resources in whose place storage gets others.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use chrono::{DateTime, Utc};

use super::write::Recorder;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::Row;
use crate::model::value::Value;

/// Descriptions in whose place storage gets others of the same columns: the service's own tables are in a schema, or those of
/// resources are another program's. They are known by their addresses.
#[derive(Debug, Default)]
pub(crate) struct Substitutes {
    /// Whether there are any: most services have none, and a call costs one load.
    is_used: AtomicBool,
    others: RwLock<HashMap<usize, &'static Descriptor>>,
}

impl Substitutes {
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
    pub(crate) fn recorder(&self, recorder: Option<Arc<dyn Recorder>>) -> Option<Arc<dyn Recorder>> {
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
