//! [`Row`]: a stored record, borrowed from the database's own buffers.

use super::adapter_error::AdapterError;
use super::descriptor::Descriptor;
use super::value::ValueRef;

/// A stored record, borrowed from the database's buffers.
pub trait Row {
    /// The value of the column at this index of the descriptor.
    ///
    /// # Errors
    /// [`AdapterError::Corrupt`] when the stored value does not fit the column.
    fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError>;

    /// Whether the column has a value at all: `false` for a field that the input of a new record leaves out.
    #[doc(hidden)]
    fn is_given(&self, _: usize) -> bool {
        true
    }
}

/// Receives the records of a query, one by one.
pub trait RowSink: Send {
    /// Receives the next record.
    ///
    /// # Errors
    /// Errors of reading the row; they end the query.
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError>;

    /// Marks a place in the records, and returns whether the sink can go back to the mark. If it can, storage passes
    /// records on as it reads them, and may begin again; otherwise it reads all of them first.
    fn mark(&mut self) -> bool {
        false
    }

    /// Forgets the records since the mark: storage passes them again.
    fn return_to_mark(&mut self) {}
}

/// The result of an expansion's `from_row`.
#[doc(hidden)]
pub type Decoded<T> = Result<T, AdapterError>;

/// A stored record with its resource: an expansion's `from_row` reads the fields from it.
#[doc(hidden)]
pub struct RowReader<'a> {
    pub(super) row: &'a dyn Row,
    pub(super) resource: &'static Descriptor,
}

impl<'a> RowReader<'a> {
    /// A record of this resource.
    pub fn new(row: &'a dyn Row, resource: &'static Descriptor) -> Self {
        Self { row, resource }
    }

    pub fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
        self.row.value(column)
    }

    /// Whether the column has a value at all.
    pub fn is_given(&self, column: usize) -> bool {
        self.row.is_given(column)
    }
}

impl std::fmt::Debug for RowReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowReader").field("resource", &self.resource.name).finish_non_exhaustive()
    }
}
