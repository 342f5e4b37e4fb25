//! Entries of the log by their tenant.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::places::TablePlacement;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::Row;
use crate::model::value::Value;
use crate::storage::write::{Recorder, WriteSink};

/// A recorder that sets the tenant of each entry: a record that is a tenant is that of its own entries.
#[derive(Debug)]
struct EntriesOfTenant {
    resource: &'static Descriptor,
    is_root: bool,
    recorder: Arc<dyn Recorder>,
    /// The tenant's column in the log.
    column: usize,
}

impl Recorder for EntriesOfTenant {
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
        if entry[self.column].is_null() {
            let root = after.or(before).filter(|_| self.is_root);
            let tenant = root.map(|record| key_text(self.resource, record)).transpose()?;
            entry[self.column] = Value::Text(tenant.unwrap_or_default());
        }
        Ok(entry)
    }
}

/// The recorder of a write, which also sets the tenant of each entry.
pub(super) fn with_tenants(
    place: TablePlacement,
    resource: &'static Descriptor,
    recorder: Option<Arc<dyn Recorder>>,
) -> Option<Arc<dyn Recorder>> {
    let recorder = recorder?;
    let is_root = matches!(place, TablePlacement::Root);
    match recorder.log().columns.iter().position(|column| column.name == "tenant") {
        Some(column) => Some(Arc::new(EntriesOfTenant { resource, is_root, recorder, column })),
        None => Some(recorder),
    }
}

/// The key of a record that is a tenant, as text.
fn key_text(resource: &'static Descriptor, record: &dyn Row) -> Result<String, AdapterError> {
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
        self.key = Some(key_text(self.resource, row)?);
        self.sink.record(index, row)
    }
}
