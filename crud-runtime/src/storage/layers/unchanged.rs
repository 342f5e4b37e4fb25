//! [`UnchangedRecords`]: a report of the records that updates return as they were.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};

use super::tenant_read_audit::TenantReadAudit;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::Row;
use crate::model::stored_value::stored_value;
use crate::model::value::Value;
use crate::storage::write::{Guard, Recorder, Update, WriteSink};

/// Sink of updates, which reports the records without an audit entry: an update that changes nothing is a read.
pub(crate) struct UnchangedRecords<'a> {
    resource: &'static Descriptor,
    observer: &'a dyn TenantReadAudit,
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
        observer: &'a dyn TenantReadAudit,
        sink: &'a mut dyn WriteSink,
    ) -> Self {
        let column = observer.column(resource);
        Self { resource, observer, column, sink, returned: Vec::new(), noted: Arc::default() }
    }

    /// The recorder of the entries, by which records with one are known.
    pub(crate) fn noting(&self, inner: Arc<dyn Recorder>) -> Arc<dyn Recorder> {
        Arc::new(NotingRecorder { resource: self.resource, inner, noted: self.noted.clone() })
    }

    /// The updates with guards. Storage calls a guard again where it finds a newer record than that of an entry. Such
    /// an entry is not written: another request may have applied the change already.
    pub(crate) fn guarding<'u>(&self, updates: &[Update<'u>]) -> Vec<Update<'u>> {
        let guarded = |update: &Update<'u>| {
            let (resource, inner, noted) = (self.resource, update.guard.clone(), self.noted.clone());
            Update::new(update.id, update.changes, Some(Arc::new(ForgettingGuard { resource, inner, noted })))
        };
        updates.iter().map(guarded).collect()
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

/// A guard that forgets the entry of the record that it is asked about, and admits what the inner guard admits.
#[derive(Debug)]
struct ForgettingGuard {
    resource: &'static Descriptor,
    inner: Option<Arc<dyn Guard>>,
    noted: Arc<NotedKeys>,
}

impl Guard for ForgettingGuard {
    fn admits(&self, current: &dyn Row) -> Result<bool, AdapterError> {
        self.noted.keys().remove(&Key::of_row(self.resource, current)?.lookup());
        self.inner.as_ref().map_or(Ok(true), |inner| inner.admits(current))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::changes::Changes;
    use crate::model::descriptor::{ColumnDescriptor, Role};
    use crate::model::value::ValueRef;
    use crate::storage::adapter::AdapterFuture;

    const ID: ColumnDescriptor = ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").role(Role::Id);
    const SHOP: ColumnDescriptor = ColumnDescriptor::new::<i64>("shop", "shop", "\"shop\":", "shop");
    static TICKET: Descriptor = Descriptor::new("Ticket", "runtime", "/tickets", "tickets", &[ID, SHOP], 0);

    struct Stored([Value; 2]);

    impl Row for Stored {
        fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
            Ok(self.0[column].borrow())
        }
    }

    /// An observer of shops.
    #[derive(Default)]
    struct Shops(Mutex<Vec<Value>>);

    impl TenantReadAudit for Shops {
        fn column(&self, _: &'static Descriptor) -> Option<usize> {
            Some(1)
        }

        fn value(&self, _: &'static Descriptor, value: &Value) {
            self.0.lock().unwrap().push(value.clone());
        }

        fn end(&self) -> AdapterFuture<'_, ()> {
            Box::pin(std::future::ready(Ok(())))
        }
    }

    struct Unseen;

    impl WriteSink for Unseen {
        fn record(&mut self, _: usize, _: &dyn Row) -> Result<(), AdapterError> {
            Ok(())
        }
    }

    #[derive(Debug)]
    struct EmptyEntries;

    impl Recorder for EmptyEntries {
        fn log(&self) -> &'static Descriptor {
            &TICKET
        }

        fn entry(
            &self,
            _: DateTime<Utc>,
            _: Option<&dyn Row>,
            _: Option<&dyn Row>,
        ) -> Result<Vec<Value>, AdapterError> {
            Ok(Vec::new())
        }
    }

    /// The shops that are reported of an update. `finds_a_newer_one`: whether storage found a newer record after the entry.
    fn reported(finds_a_newer_one: bool) -> Vec<Value> {
        let (shops, mut sink) = (Shops::default(), Unseen);
        let mut unchanged = UnchangedRecords::new(&TICKET, &shops, &mut sink);
        let recorder = unchanged.noting(Arc::new(EmptyEntries));
        let (key, changes) = (Key::from(Value::Int(1)), Changes::new());
        let updates = unchanged.guarding(&[Update::new(&key, &changes, None)]);
        let guard = updates[0].guard.clone().expect("a guard");
        let row = Stored([Value::Int(1), Value::Int(2)]);
        assert!(guard.admits(&row).expect("a row"));
        recorder.entry(DateTime::UNIX_EPOCH, Some(&row), Some(&row)).expect("an entry");
        if finds_a_newer_one {
            assert!(guard.admits(&row).expect("a row"));
        }
        unchanged.record(0, &row).expect("a record");
        unchanged.report();
        shops.0.lock().expect("the values").clone()
    }

    #[test]
    fn change_that_another_request_has_made_already_is_a_read() {
        assert!(reported(false).is_empty());
        assert_eq!(reported(true), [Value::Int(2)]);
    }
}
