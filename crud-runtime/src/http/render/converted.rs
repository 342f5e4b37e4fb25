//! [`ConvertedFields`]: the values of a record's fields that answers have in another form than storage: functions of the
//! program compute them, or their types convert them.

use super::unreadable::Unreadable;
use crate::model::adapter_error::AdapterError;
use crate::model::column::FieldLocation;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::Row;
use crate::model::value::{Value, ValueRef};
use crate::query::visibility::FieldVisibility;

/// The computed and converted values of a record. There are none where its resource has no such field; then the record
/// is not decoded.
pub(super) struct ConvertedFields {
    resource: &'static Descriptor,
    /// The values by column; empty where there is no such field.
    values: Vec<Converted>,
}

/// The value of a field in answers.
#[derive(Clone)]
enum Converted {
    /// The stored value.
    Stored,
    Value(Value),
    /// No value: the field, or another one that it is computed from, cannot be read.
    Unreadable,
}

impl From<Option<Value>> for Converted {
    fn from(value: Option<Value>) -> Self {
        value.map_or(Self::Unreadable, Self::Value)
    }
}

impl ConvertedFields {
    /// Computes and converts the values of a record.
    ///
    /// # Errors
    /// Errors of reading the row other than [`AdapterError::Corrupt`].
    pub(super) fn of(
        resource: &'static Descriptor,
        view: &FieldVisibility,
        row: &dyn Row,
    ) -> Result<Self, AdapterError> {
        if resource.computing.is_none() && !resource.converts {
            return Ok(Self { resource, values: Vec::new() });
        }
        let mut converted = Self { resource, values: vec![Converted::Stored; resource.columns.len()] };
        converted.compute(view, row)?;
        if resource.converts {
            converted.convert(view, row)?;
        }
        Ok(converted)
    }

    /// Adds the values that functions compute, unless another field of the record cannot be read.
    fn compute(&mut self, view: &FieldVisibility, row: &dyn Row) -> Result<(), AdapterError> {
        let Some(compute) = self.resource.computing else { return Ok(()) };
        let mut values = match compute(row, &view.request()) {
            Err(AdapterError::Corrupt { .. }) => Vec::new(),
            values => values?,
        }
        .into_iter();
        let columns = self.resource.columns.iter().zip(&mut self.values);
        for (_, value) in columns.filter(|(column, _)| column.is_of_function()) {
            *value = values.next().into();
        }
        Ok(())
    }

    /// Adds the values that their types convert. A value that cannot be read is left as it is stored: reading it
    /// reports the error.
    fn convert(&mut self, view: &FieldVisibility, row: &dyn Row) -> Result<(), AdapterError> {
        let mut record = None;
        for (index, column) in view.returned(self.resource) {
            let Some(convert) = column.returned else { continue };
            let value = match row.value(index) {
                Err(AdapterError::Corrupt { .. }) | Ok(ValueRef::Null) => continue,
                value => value?,
            };
            let record = match &mut record {
                Some(record) => record,
                none => none.insert(path_of(self.resource, view, row)?),
            };
            let value = convert(value, &FieldLocation::new(record, column.json));
            self.values[index] = value.inspect_err(|error| refused(self.resource, column.json, error)).ok().into();
        }
        Ok(())
    }

    /// Whether every value is a stored one.
    pub(super) const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value of a column in answers. A value that cannot be read, or is computed from one that cannot, is null and
    /// listed as unreadable.
    ///
    /// # Errors
    /// Errors of reading the row other than [`AdapterError::Corrupt`].
    pub(super) fn value<'r>(
        &'r self,
        unreadable: &mut Unreadable,
        column: usize,
        row: &'r dyn Row,
    ) -> Result<ValueRef<'r>, AdapterError> {
        match self.values.get(column) {
            Some(Converted::Value(value)) => Ok(value.borrow()),
            Some(Converted::Unreadable) => {
                unreadable.push(&self.resource.columns[column]);
                Ok(ValueRef::Null)
            }
            Some(Converted::Stored) | None => unreadable.value(self.resource, column, row),
        }
    }

    /// The value of a column in answers, or null where it cannot be computed.
    ///
    /// # Errors
    /// Errors of reading the row.
    pub(super) fn stored<'r>(&'r self, column: usize, row: &'r dyn Row) -> Result<ValueRef<'r>, AdapterError> {
        match self.values.get(column) {
            Some(Converted::Value(value)) => Ok(value.borrow()),
            Some(Converted::Unreadable) => Ok(ValueRef::Null),
            Some(Converted::Stored) | None => row.value(column),
        }
    }
}

/// The path of a record; empty where its key cannot be read.
fn path_of(resource: &'static Descriptor, view: &FieldVisibility, row: &dyn Row) -> Result<String, AdapterError> {
    match Key::of_row(resource, row) {
        Err(AdapterError::Corrupt { .. }) => Ok(String::new()),
        key => Ok(view.path_of(resource, &key?)),
    }
}

fn refused(resource: &Descriptor, field: &str, error: &ColumnError) {
    tracing::error!(resource = resource.name, field, %error, "a stored value has no form in answers: the field is null");
}
