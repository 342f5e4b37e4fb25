//! Rows rendered as JSON bytes, without a struct or a map in between.

mod computed;
pub(crate) mod csv;
pub(crate) mod expand;
pub(crate) mod serialize;
pub(crate) mod unreadable;

use self::computed::ComputedFields;
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
}

impl JsonSink {
    /// A sink that appends to `out`.
    pub(crate) fn new(resource: &'static Descriptor, view: &FieldVisibility, out: Vec<u8>) -> Self {
        Self { resource, view: view.clone(), out, rows: 0 }
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
}

/// Writes the fields of a record that the view shows, in declaration order. One whose value cannot be read is null, and listed.
pub(crate) fn write_record(
    out: &mut Vec<u8>,
    resource: &'static Descriptor,
    view: &FieldVisibility,
    row: &dyn Row,
) -> Result<(), AdapterError> {
    out.push(b'{');
    let (mut first, mut unreadable) = (true, Unreadable::default());
    let computed = ComputedFields::of(resource, view, row)?;
    for (index, column) in view.returned(resource) {
        if !std::mem::take(&mut first) {
            out.push(b',');
        }
        out.extend_from_slice(column.key.as_bytes());
        write_value(out, column, computed.value(&mut unreadable, index, row)?);
    }
    unreadable.write(out);
    out.push(b'}');
    Ok(())
}
