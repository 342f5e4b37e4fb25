//! Records that are tenants: their entries in the log, and the keys that storage assigns.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::places::Place;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::Row;
use crate::model::value::Value;
use crate::storage::write::{Recorder, WriteSink};

/// Entries of a record that is a tenant: they are of that tenant.
#[derive(Debug)]
struct EntriesOfRoot {
    resource: &'static Descriptor,
    recorder: Arc<dyn Recorder>,
    /// The log's column of the tenant.
    column: usize,
}

impl Recorder for EntriesOfRoot {
    fn log(&self) -> &'static Descriptor {
        self.recorder.log()
    }

    fn entry(
        &self,
        time: DateTime<Utc>,
        before: Option<&dyn Row>,
        after: Option<&dyn Row>,
    ) -> Result<Vec<Value>, AdapterError> {
        let mut entry = self.recorder.entry(time, before, after)?;
        if let Some(record) = after.or(before) {
            entry[self.column] = Value::Text(text(self.resource, record)?);
        }
        Ok(entry)
    }
}

/// The recorder of a write, whose entries are of the tenant that the record is.
pub(super) fn with_tenant_of_root(
    place: Place,
    resource: &'static Descriptor,
    recorder: Option<Arc<dyn Recorder>>,
) -> Option<Arc<dyn Recorder>> {
    let recorder = recorder?;
    let column = recorder.log().columns.iter().position(|column| column.name == "tenant");
    match column.filter(|_| place == Place::Root) {
        Some(column) => Some(Arc::new(EntriesOfRoot { resource, recorder, column })),
        None => Some(recorder),
    }
}

/// The key of a record that is a tenant, as text.
fn text(resource: &'static Descriptor, record: &dyn Row) -> Result<String, AdapterError> {
    let key = Key::of_row(resource, record)?;
    Ok(key.single().map_or_else(|| key.to_string(), Value::to_string))
}

/// Notes the key of a record that becomes a tenant.
pub(super) struct NewRoot<'s> {
    resource: &'static Descriptor,
    sink: &'s mut dyn WriteSink,
    pub(super) key: Option<String>,
}

impl<'s> NewRoot<'s> {
    pub(super) fn new(resource: &'static Descriptor, sink: &'s mut dyn WriteSink) -> Self {
        Self { resource, sink, key: None }
    }
}

impl WriteSink for NewRoot<'_> {
    fn record(&mut self, index: usize, row: &dyn Row) -> Result<(), AdapterError> {
        self.key = Some(text(self.resource, row)?);
        self.sink.record(index, row)
    }
}
