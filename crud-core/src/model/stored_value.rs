//! [`stored_value`]: a value of a row, owned.

use super::adapter_error::AdapterError;
use super::column::owned_value;
use super::descriptor::{ColumnDescriptor, Descriptor};
use super::row::Row;
use super::value::Value;

/// The value of a column of a row.
///
/// # Errors
/// [`AdapterError::Corrupt`] where the column's kind has no such value.
pub fn stored_value(resource: &Descriptor, index: usize, row: &dyn Row) -> Result<Value, AdapterError> {
    column_value(&resource.columns[index], index, row)
}

/// The value of a column that has this index in a row.
///
/// # Errors
/// Errors of [`stored_value`].
pub fn column_value(column: &ColumnDescriptor, index: usize, row: &dyn Row) -> Result<Value, AdapterError> {
    owned_value(column.kind, row.value(index)?).map_err(|error| AdapterError::Corrupt { column: column.column, error })
}
