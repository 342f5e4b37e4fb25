//! [`Row`]: a row that outlives its statement, and [`Borrowed`]: one that does not.

use std::ops::Range;

use rusqlite::types::ValueRef as Cell;

use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::Descriptor;
use crate::model::row::Row as ModelRow;
use crate::model::value::ValueRef;
use crate::storage::sql::sqlite::row::decode;

/// A row of a statement: its texts and blobs are in one buffer.
#[derive(Debug)]
pub(in crate::storage::sql) struct Row {
    cells: Vec<Stored>,
    bytes: Vec<u8>,
}

#[derive(Debug, Clone)]
enum Stored {
    Null,
    Integer(i64),
    Real(f64),
    Text(Range<usize>),
    Blob(Range<usize>),
}

impl Row {
    /// The row that a statement is at.
    pub(super) fn read(row: &rusqlite::Row<'_>, columns: usize) -> rusqlite::Result<Self> {
        let mut read = Self { cells: Vec::with_capacity(columns), bytes: Vec::with_capacity(columns * 16) };
        for column in 0..columns {
            let cell = match row.get_ref(column)? {
                Cell::Null => Stored::Null,
                Cell::Integer(value) => Stored::Integer(value),
                Cell::Real(value) => Stored::Real(value),
                Cell::Text(text) => Stored::Text(read.append(text)),
                Cell::Blob(blob) => Stored::Blob(read.append(blob)),
            };
            read.cells.push(cell);
        }
        Ok(read)
    }

    /// The bytes of its texts and blobs.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    fn append(&mut self, bytes: &[u8]) -> Range<usize> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        start..self.bytes.len()
    }

    /// The value of a column; null, where there is no such column.
    pub(super) fn cell(&self, column: usize) -> Cell<'_> {
        match self.cells.get(column) {
            None | Some(Stored::Null) => Cell::Null,
            Some(Stored::Integer(value)) => Cell::Integer(*value),
            Some(Stored::Real(value)) => Cell::Real(*value),
            Some(Stored::Text(range)) => Cell::Text(&self.bytes[range.clone()]),
            Some(Stored::Blob(range)) => Cell::Blob(&self.bytes[range.clone()]),
        }
    }
}

/// The record that a statement is at, in SQLite's own buffers.
pub(super) struct Borrowed<'a, 'r> {
    pub(super) resource: &'static Descriptor,
    pub(super) row: &'a rusqlite::Row<'r>,
}

impl ModelRow for Borrowed<'_, '_> {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
        let descriptor = &self.resource.columns[column];
        let cell = self.row.get_ref(column).map_err(|error| ColumnError::new(error.to_string()));
        cell.and_then(|cell| decode(descriptor, cell))
            .map_err(|error| AdapterError::Corrupt { column: descriptor.column, error })
    }
}
