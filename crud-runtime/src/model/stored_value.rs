//! [`stored_value`]: a value of a row, owned.

use super::adapter_error::AdapterError;
use super::column::owned_value;
use super::descriptor::Descriptor;
use super::row::Row;
use super::value::Value;

/// The value of a column of a row.
///
/// # Errors
/// [`AdapterError::Corrupt`] where the column's kind has no such value.
pub(crate) fn stored_value(resource: &Descriptor, index: usize, row: &dyn Row) -> Result<Value, AdapterError> {
    let column = &resource.columns[index];
    owned_value(column.kind, row.value(index)?).map_err(|error| AdapterError::Corrupt { column: column.column, error })
}
