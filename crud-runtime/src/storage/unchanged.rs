//! [`UnchangedRecords`]: a report of the records that updates return as they were.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};

use super::observed::ReadObserver;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::Row;
use crate::model::stored_value::stored_value;
use crate::model::value::Value;
use crate::storage::write::{Recorder, WriteSink};

/// Sink of updates, which reports the records without an audit entry: an update that changes nothing is a read.
pub(crate) struct UnchangedRecords<'a> {
    resource: &'static Descriptor,
    observer: &'a dyn ReadObserver,
    /// The column that is reported.
    column: Option<usize>,
    sink: &'a mut dyn WriteSink,
    /// The keys of the returned records, as texts, and their values of the column.
    returned: Vec<(String, Value)>,
    noted: Arc<NotedKeys>,
}

/// The keys of records that have an entry, as texts.
#[derive(Debug, Default)]
struct NotedKeys(Mutex<HashSet<String>>);

impl NotedKeys {
    fn keys(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> UnchangedRecords<'a> {
    pub(crate) fn new(
        resource: &'static Descriptor,
        observer: &'a dyn ReadObserver,
        sink: &'a mut dyn WriteSink,
    ) -> Self {
        let column = observer.column(resource);
        Self { resource, observer, column, sink, returned: Vec::new(), noted: Arc::default() }
    }

    /// The recorder of the entries, by which records with one are known.
    pub(crate) fn noting(&self, inner: Arc<dyn Recorder>) -> Arc<dyn Recorder> {
        Arc::new(NotingRecorder { resource: self.resource, inner, noted: self.noted.clone() })
    }

    /// Reports the returned records that have no entry.
    pub(crate) fn report(&self) {
        let noted = self.noted.keys();
        for (key, value) in &self.returned {
            if !noted.contains(key) {
                self.observer.value(self.resource, value);
            }
        }
    }
}

impl WriteSink for UnchangedRecords<'_> {
    fn record(&mut self, index: usize, row: &dyn Row) -> Result<(), AdapterError> {
        if let Some(column) = self.column {
            let key = Key::of_row(self.resource, row)?.lookup();
            self.returned.push((key, stored_value(self.resource, column, row)?));
        }
        self.sink.record(index, row)
    }
}

/// A recorder of updates that notes their records.
#[derive(Debug)]
struct NotingRecorder {
    resource: &'static Descriptor,
    inner: Arc<dyn Recorder>,
    noted: Arc<NotedKeys>,
}

impl Recorder for NotingRecorder {
    fn log(&self) -> &'static Descriptor {
        self.inner.log()
    }

    fn entry(
        &self,
        time: DateTime<Utc>,
        before: Option<&dyn Row>,
        after: Option<&dyn Row>,
    ) -> Result<Vec<Value>, AdapterError> {
        if let Some(row) = after {
            self.noted.keys().insert(Key::of_row(self.resource, row)?.lookup());
        }
        self.inner.entry(time, before, after)
    }
}
