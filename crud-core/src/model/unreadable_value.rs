//! The error of a stored value that cannot be read, which names the record's key.

use super::adapter_error::AdapterError;
use super::column_error::ColumnError;
use super::key::Key;
use super::row::RowReader;
use super::value::ValueRef;

impl RowReader<'_> {
    /// The value of a column; its error names the record's key.
    pub fn read(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
        self.row.value(column).map_err(|error| match error {
            AdapterError::Corrupt { error, .. } => self.corrupt(column, error),
            other => other,
        })
    }

    /// The error of a stored value that does not fit its field's type, with the record's key.
    pub fn corrupt(&self, column: usize, error: ColumnError) -> AdapterError {
        let error = match Key::of_row(self.resource, self.row) {
            Ok(key) if !self.resource.keyless => ColumnError::new(format!("{} {key}: {error}", self.resource.name)),
            _ => error,
        };
        AdapterError::Corrupt { column: self.resource.columns[column].column, error }
    }
}
