//! [`Row`] and [`Rows`], which outlive their statement, and [`Borrowed`], which does not.

use std::cell::Cell;
use std::ops::Range;

use rusqlite::types::ValueRef as SqliteValue;

use crate::driver::column_of;
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::row::{Row as ModelRow, RowSink};
use crate::model::value::ValueRef;
use crate::query::JoinedColumn;
use crate::sqlite::row::decode;

/// A row of a statement, with its texts and blobs in one buffer.
#[derive(Debug)]
pub(crate) struct Row(Rows);

/// Rows of a statement: all values are in one buffer, and all texts and blobs in another.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The number of values in a row.
    columns: usize,
    cells: Vec<Stored>,
    bytes: Vec<u8>,
}

/// The number of rows in a typical page.
const PAGE: usize = 20;

#[derive(Debug, Clone)]
enum Stored {
    Null,
    Integer(i64),
    Real(f64),
    Text(Range<usize>),
    Blob(Range<usize>),
}

impl Row {
    /// Copies the current row of a statement.
    pub(super) fn read(row: &rusqlite::Row<'_>, columns: usize) -> rusqlite::Result<Self> {
        let (cells, bytes) = (Vec::with_capacity(columns), Vec::with_capacity(columns * 16));
        let mut rows = Rows { columns, cells, bytes };
        rows.push(row, columns)?;
        Ok(Self(rows))
    }

    /// The bytes of the row's texts and blobs.
    pub(super) fn size(&self) -> usize {
        self.0.size()
    }

    /// The value of a column; null if there is no such column.
    pub(super) fn cell(&self, column: usize) -> SqliteValue<'_> {
        self.0.cell(column)
    }
}

impl Rows {
    /// Appends the current row of a statement.
    pub(super) fn push(&mut self, row: &rusqlite::Row<'_>, columns: usize) -> rusqlite::Result<()> {
        self.columns = columns;
        for column in 0..columns {
            let cell = match row.get_ref(column)? {
                SqliteValue::Null => Stored::Null,
                SqliteValue::Integer(value) => Stored::Integer(value),
                SqliteValue::Real(value) => Stored::Real(value),
                SqliteValue::Text(text) => Stored::Text(self.append(text)),
                SqliteValue::Blob(blob) => Stored::Blob(self.append(blob)),
            };
            self.cells.push(cell);
        }
        Ok(())
    }

    /// Makes room for a page of rows: growing by doubling took 7,800 of 242,000 instructions of a page of 20.
    pub(super) fn reserve_page(&mut self, columns: usize) {
        self.cells.reserve(PAGE * columns);
        self.bytes.reserve(PAGE * 16 * columns);
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.cells.len().checked_div(self.columns).unwrap_or(0)
    }

    /// The bytes of the rows' texts and blobs.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The integer in a statement's one row.
    pub(super) fn integer(&self) -> Option<i64> {
        match self.cells.as_slice() {
            [Stored::Integer(number)] => Some(*number),
            _ => None,
        }
    }

    /// Passes the rows to a sink as records, with the `joined` columns after the resource's.
    pub(super) fn emit(
        &self,
        resource: &'static Descriptor,
        joined: &[JoinedColumn],
        sink: &mut dyn RowSink,
    ) -> Result<(), AdapterError> {
        (0..self.len())
            .try_for_each(|row| sink.row(&Buffered { resource, joined, rows: self, first: row * self.columns }))
    }

    fn append(&mut self, bytes: &[u8]) -> Range<usize> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        start..self.bytes.len()
    }

    fn cell(&self, index: usize) -> SqliteValue<'_> {
        match self.cells.get(index) {
            None | Some(Stored::Null) => SqliteValue::Null,
            Some(Stored::Integer(value)) => SqliteValue::Integer(*value),
            Some(Stored::Real(value)) => SqliteValue::Real(*value),
            Some(Stored::Text(range)) => SqliteValue::Text(&self.bytes[range.clone()]),
            Some(Stored::Blob(range)) => SqliteValue::Blob(&self.bytes[range.clone()]),
        }
    }
}

/// A record in one of several buffered rows.
struct Buffered<'a> {
    resource: &'static Descriptor,
    joined: &'a [JoinedColumn],
    rows: &'a Rows,
    /// The index of the row's first value.
    first: usize,
}

impl ModelRow for Buffered<'_> {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
        let descriptor = column_of(self.resource, self.joined, column);
        decode(descriptor, self.rows.cell(self.first + column)).map_err(|error| corrupt(descriptor, error))
    }
}

/// The record in a statement's current row, in SQLite's own buffers.
pub(super) struct Borrowed<'a, 'r> {
    pub(super) resource: &'static Descriptor,
    /// The joined columns, which follow the resource's.
    pub(super) joined: &'a [JoinedColumn],
    pub(super) row: &'a rusqlite::Row<'r>,
    /// Counts the bytes of texts and blobs that are read.
    pub(super) bytes: &'a Cell<usize>,
}

impl ModelRow for Borrowed<'_, '_> {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
        let descriptor = column_of(self.resource, self.joined, column);
        let value =
            self.row.get_ref(column).map_err(|error| corrupt(descriptor, ColumnError::new(error.to_string())))?;
        if let SqliteValue::Text(bytes) | SqliteValue::Blob(bytes) = value {
            self.bytes.set(self.bytes.get() + bytes.len());
        }
        decode(descriptor, value).map_err(|error| corrupt(descriptor, error))
    }
}

fn corrupt(descriptor: &ColumnDescriptor, error: ColumnError) -> AdapterError {
    AdapterError::Corrupt { column: descriptor.column, error }
}
