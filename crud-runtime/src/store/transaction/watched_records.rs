//! [`WatchedRecords`]: the records of a transaction whose hooks run, as the last change of each has left them.

use std::collections::HashMap;

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::Row;
use crate::storage::write::WriteSink;
use crate::store::owned_record::OwnedRecord;

/// The records under a change whose hooks run, as the last change with an audit entry has left them. A record that is
/// stored otherwise was changed by a statement of the program's own, or by a trigger of another change.
///
/// A rollback to a savepoint forgets the changes after it.
#[derive(Debug, Default)]
pub(crate) struct WatchedRecords {
    records: HashMap<RecordAddress, Watched>,
    /// The former entries of records, in the order of their changes.
    former: Vec<(RecordAddress, Option<Watched>)>,
    /// The number of former entries at each open savepoint.
    savepoints: Vec<usize>,
}

/// A record: the address of its resource, and its key as text.
type RecordAddress = (usize, String);

#[derive(Debug, Clone)]
struct Watched {
    record: OwnedRecord,
    /// Number of changes whose hooks run.
    changes: usize,
}

impl WatchedRecords {
    /// Watches a record for one more change, as that change has left it.
    pub(crate) fn watch(&mut self, resource: &'static Descriptor, key: &Key, record: OwnedRecord) {
        let place = place(resource, key);
        let changes = self.records.get(&place).map_or(0, |watched| watched.changes) + 1;
        self.set(place, Some(Watched { record, changes }));
    }

    /// Ends the watch of one change; returns the record as the last change has left it.
    pub(crate) fn unwatch(&mut self, resource: &'static Descriptor, key: &Key) -> Option<OwnedRecord> {
        let place = place(resource, key);
        let Watched { record, changes } = self.records.get(&place)?.clone();
        let left = (changes > 1).then(|| Watched { record: record.clone(), changes: changes - 1 });
        self.set(place, left);
        Some(record)
    }

    /// The record as the last change has left it, where it is watched.
    pub(crate) fn last(&self, resource: &'static Descriptor, key: &Key) -> Option<&OwnedRecord> {
        if self.records.is_empty() {
            return None;
        }
        self.records.get(&place(resource, key)).map(|watched| &watched.record)
    }

    /// Whether a record of the resource may be watched.
    pub(crate) fn has_any(&self, resource: &'static Descriptor) -> bool {
        self.records.keys().any(|(of, _)| *of == address(resource))
    }

    /// Keeps a record as a change has left it, if the record is watched.
    pub(crate) fn note(&mut self, resource: &'static Descriptor, key: &Key, record: OwnedRecord) {
        let place = place(resource, key);
        if let Some(Watched { changes, .. }) = self.records.get(&place) {
            let changes = *changes;
            self.set(place, Some(Watched { record, changes }));
        }
    }

    fn set(&mut self, place: RecordAddress, watched: Option<Watched>) {
        let former = match watched {
            Some(watched) => self.records.insert(place.clone(), watched),
            None => self.records.remove(&place),
        };
        if !self.savepoints.is_empty() {
            self.former.push((place, former));
        }
    }

    pub(crate) fn savepoint(&mut self) {
        self.savepoints.push(self.former.len());
    }

    pub(crate) fn release(&mut self) {
        self.savepoints.pop();
        if self.savepoints.is_empty() {
            self.former.clear();
        }
    }

    pub(crate) fn rollback_to(&mut self) {
        let Some(kept) = self.savepoints.pop() else { return };
        for (place, former) in self.former.drain(kept..).rev() {
            match former {
                Some(watched) => drop(self.records.insert(place, watched)),
                None => drop(self.records.remove(&place)),
            }
        }
    }
}

fn place(resource: &'static Descriptor, key: &Key) -> RecordAddress {
    (address(resource), key.lookup())
}

fn address(resource: &'static Descriptor) -> usize {
    std::ptr::from_ref(resource).addr()
}

/// Passes on the records of a write, and keeps those that can be read.
pub(super) struct NotingSink<'a> {
    pub(super) resource: &'static Descriptor,
    pub(super) sink: &'a mut dyn WriteSink,
    pub(super) kept: Vec<(Key, OwnedRecord)>,
}

impl WriteSink for NotingSink<'_> {
    fn record(&mut self, index: usize, row: &dyn Row) -> Result<(), AdapterError> {
        if let Ok(record) = OwnedRecord::read(self.resource, row) {
            self.kept.push((Key::of_row(self.resource, row)?, record));
        }
        self.sink.record(index, row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::resource::Resource;
    use crate::model::value::Value;
    use crate::store::audit_record::AuditRecord;

    fn record(id: i64) -> OwnedRecord {
        OwnedRecord::new(vec![Value::Int(id)])
    }

    #[test]
    fn rollback_to_a_savepoint_forgets_the_changes_after_it() {
        let (resource, key) = (AuditRecord::DESCRIPTOR, Key::from(Value::Int(1)));
        let mut watched = WatchedRecords::default();
        watched.savepoint();
        watched.watch(resource, &key, record(1));
        watched.savepoint();
        watched.note(resource, &key, record(2));
        watched.watch(resource, &key, record(3));
        assert_eq!(watched.last(resource, &key), Some(&record(3)));
        watched.rollback_to();
        assert_eq!(watched.last(resource, &key), Some(&record(1)));
        watched.note(resource, &key, record(4));
        watched.release();
        assert_eq!(watched.unwatch(resource, &key), Some(record(4)));
        assert_eq!(watched.last(resource, &key), None);
        assert!(watched.former.is_empty());
    }
}
