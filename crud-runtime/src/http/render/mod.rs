//! Rows rendered as JSON bytes, without a struct or a map in between.

mod converted;
pub(crate) mod csv;
pub(crate) mod expand;
pub(crate) mod serialize;
pub(crate) mod unreadable;

use self::converted::ConvertedFields;
use self::unreadable::Unreadable;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::json::write_value;
use crate::model::row::{Row, RowSink};
use crate::query::visibility::FieldVisibility;

/// A row sink that writes records as JSON objects, separated by commas.
#[derive(Debug)]
pub(crate) struct JsonSink {
    resource: &'static Descriptor,
    view: FieldVisibility,
    /// The JSON so far.
    pub(crate) out: Vec<u8>,
    /// The number of records written.
    pub(crate) rows: u64,
    /// Length of the JSON and number of records at the mark.
    mark: (usize, u64),
}

impl JsonSink {
    /// A sink that appends to `out`.
    pub(crate) fn new(resource: &'static Descriptor, view: &FieldVisibility, out: Vec<u8>) -> Self {
        Self { resource, view: view.clone(), out, rows: 0, mark: (0, 0) }
    }

    /// The records' resource.
    pub(crate) fn resource(&self) -> &'static Descriptor {
        self.resource
    }
}

impl RowSink for JsonSink {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        if self.rows > 0 {
            self.out.push(b',');
        }
        self.rows += 1;
        write_record(&mut self.out, self.resource, &self.view, row)
    }

    fn mark(&mut self) -> bool {
        self.mark = (self.out.len(), self.rows);
        true
    }

    fn return_to_mark(&mut self) {
        self.out.truncate(self.mark.0);
        self.rows = self.mark.1;
    }
}

/// Writes the fields of a record that the view shows, in declaration order. A field whose value cannot be read is null,
/// and listed as unreadable.
pub(crate) fn write_record(
    out: &mut Vec<u8>,
    resource: &'static Descriptor,
    view: &FieldVisibility,
    row: &dyn Row,
) -> Result<(), AdapterError> {
    out.push(b'{');
    let (mut first, mut unreadable) = (true, Unreadable::default());
    let computed = ConvertedFields::of(resource, view, row)?;
    for (index, column) in view.returned(resource) {
        if !std::mem::take(&mut first) {
            out.push(b',');
        }
        out.extend_from_slice(column.key.as_bytes());
        // A value of the row itself is written directly: another function would move it, which takes 9 ns.
        let value = if computed.is_empty() {
            row.value(index).or_else(|error| unreadable.null(resource, index, row, error))?
        } else {
            computed.value(&mut unreadable, index, row)?
        };
        write_value(out, column, value);
    }
    unreadable.write(out);
    out.push(b'}');
    Ok(())
}
