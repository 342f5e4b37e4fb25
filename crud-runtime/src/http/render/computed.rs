//! [`ComputedFields`]: the values of a record's fields that functions of the program compute.

use super::unreadable::Unreadable;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::Row;
use crate::model::value::{Value, ValueRef};
use crate::query::visibility::FieldVisibility;

/// The computed values of a record: none where its resource has no such field, and the record is not decoded.
pub(super) struct ComputedFields {
    resource: &'static Descriptor,
    /// In the order of columns; empty where another field of the record cannot be read.
    values: Option<Vec<Value>>,
}

impl ComputedFields {
    /// Computes the values of a record.
    ///
    /// # Errors
    /// Errors of reading the row other than [`AdapterError::Corrupt`].
    pub(super) fn of(
        resource: &'static Descriptor,
        view: &FieldVisibility,
        row: &dyn Row,
    ) -> Result<Self, AdapterError> {
        let Some(compute) = resource.computing else { return Ok(Self { resource, values: None }) };
        match compute(row, &view.request()) {
            Err(AdapterError::Corrupt { .. }) => Ok(Self { resource, values: Some(Vec::new()) }),
            values => values.map(|values| Self { resource, values: Some(values) }),
        }
    }

    /// Whether functions compute none.
    pub(super) const fn is_empty(&self) -> bool {
        self.values.is_none()
    }

    /// The value of a column, computed or stored. One that cannot be read, or not be computed without it, is null and listed.
    ///
    /// # Errors
    /// Errors of reading the row other than [`AdapterError::Corrupt`].
    pub(super) fn value<'r>(
        &'r self,
        unreadable: &mut Unreadable,
        column: usize,
        row: &'r dyn Row,
    ) -> Result<ValueRef<'r>, AdapterError> {
        match self.values_of_function(column) {
            Some((values, index)) => Ok(values.get(index).map_or_else(
                || {
                    unreadable.push(&self.resource.columns[column]);
                    ValueRef::Null
                },
                Value::borrow,
            )),
            None => unreadable.value(self.resource, column, row),
        }
    }

    /// The value of a column, computed or stored.
    ///
    /// # Errors
    /// Errors of reading the row.
    pub(super) fn stored<'r>(&'r self, column: usize, row: &'r dyn Row) -> Result<ValueRef<'r>, AdapterError> {
        match self.values_of_function(column) {
            Some((values, index)) => Ok(values.get(index).map_or(ValueRef::Null, Value::borrow)),
            None => row.value(column),
        }
    }

    /// The computed values, and which of them is that of a column; `None` where no function computes it.
    fn values_of_function(&self, column: usize) -> Option<(&[Value], usize)> {
        let values = self.values.as_deref()?;
        let columns = self.resource.columns;
        let index = || columns[..column].iter().filter(|other| other.is_of_function()).count();
        columns[column].is_of_function().then(|| (values, index()))
    }
}
