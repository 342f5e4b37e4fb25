//! [`OwnedRecord`]: a record's values apart from the database's buffers.

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::resource::Resource;
use crate::model::row::{Row, RowSink};
use crate::model::stored_value::stored_value;
use crate::model::value::{Value, ValueRef, is_same};

/// A record's values, one for each column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OwnedRecord(Vec<Value>);

impl OwnedRecord {
    pub(crate) const fn new(values: Vec<Value>) -> Self {
        Self(values)
    }

    /// The values of a record that the program holds.
    pub(crate) fn of<R: Resource>(record: R) -> Self {
        let (resource, mut values) = (R::DESCRIPTOR, record.into_values());
        // `is_deleted` may have no field: it follows from the time of the deletion.
        if let Some(soft_delete) = resource.soft_delete.filter(|_| values.len() < resource.columns.len()) {
            let is_deleted = !matches!(values[soft_delete.deleted_at], Value::Null | Value::Bool(false));
            values.push(Value::Bool(is_deleted));
        }
        Self(values)
    }

    /// Reads a row.
    ///
    /// # Errors
    /// [`AdapterError::Corrupt`] when a stored value does not fit its column.
    pub(crate) fn read(resource: &'static Descriptor, row: &dyn Row) -> Result<Self, AdapterError> {
        let values = (0..resource.columns.len()).map(|column| stored_value(resource, column, row));
        values.collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn get(&self, column: usize) -> &Value {
        &self.0[column]
    }

    /// The tenant of the record, where records have one.
    pub(super) fn tenant(&self, resource: &Descriptor) -> Option<&Value> {
        resource.tenant.map(|tenant| self.get(tenant.column)).filter(|tenant| !tenant.is_null())
    }

    /// The columns whose stored values differ from those of another record.
    pub(super) fn differences(&self, resource: &'static Descriptor, other: &Self) -> Vec<usize> {
        let stored = resource.columns.iter().enumerate().filter(|(_, column)| column.computed.is_none());
        stored.map(|(index, _)| index).filter(|index| !is_same(self.get(*index), other.get(*index))).collect()
    }

    pub(crate) fn set(&mut self, column: usize, value: Value) {
        self.0[column] = value;
    }

    pub(crate) fn into_values(self) -> Vec<Value> {
        self.0
    }
}

impl Row for OwnedRecord {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
        Ok(self.0[column].borrow())
    }
}

/// Keeps the last record that it receives.
pub(crate) struct OwnedSink {
    pub(crate) resource: &'static Descriptor,
    pub(crate) record: Option<OwnedRecord>,
}

impl OwnedSink {
    pub(crate) const fn new(resource: &'static Descriptor) -> Self {
        Self { resource, record: None }
    }
}

impl RowSink for OwnedSink {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.record = Some(OwnedRecord::read(self.resource, row)?);
        Ok(())
    }
}

/// Passes records on to the inner sink, and keeps the last one if its values can be read.
pub(crate) struct KeepingSink<'a> {
    resource: &'static Descriptor,
    sink: &'a mut dyn RowSink,
    pub(crate) record: Option<OwnedRecord>,
}

impl<'a> KeepingSink<'a> {
    pub(crate) fn new(resource: &'static Descriptor, sink: &'a mut dyn RowSink) -> Self {
        Self { resource, sink, record: None }
    }
}

impl RowSink for KeepingSink<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.record = OwnedRecord::read(self.resource, row).ok();
        self.sink.row(row)
    }
}
