//! [`serialize`]: a record of the program in any format of serde, with the fields and the forms of its JSON over HTTP.

use serde::ser::{Error, Serialize, SerializeStruct, Serializer};

use super::converted::ConvertedFields;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::json::json_value;
use crate::model::resource::Resource;
use crate::model::value::ValueRef;
use crate::query::visibility::FieldVisibility;
use crate::store::owned_record::OwnedRecord;

/// Serializes the fields that a request without a token sees; called by expansions.
///
/// # Errors
/// Errors of the serializer.
pub fn serialize<R: Resource, S: Serializer>(record: R, serializer: S) -> Result<S::Ok, S::Error> {
    let (resource, row) = (R::DESCRIPTOR, OwnedRecord::of(record));
    let view = FieldVisibility::new(resource, None);
    let computed = ConvertedFields::of(resource, &view, &row).map_err(S::Error::custom)?;
    let mut fields = serializer.serialize_struct(resource.name, view.returned(resource).count())?;
    for (index, column) in view.returned(resource) {
        let value = computed.stored(index, &row).map_err(S::Error::custom)?;
        fields.serialize_field(column.json, &Field { column, value })?;
    }
    fields.end()
}

/// A value in the form that it has in JSON.
struct Field<'a> {
    column: &'static ColumnDescriptor,
    value: ValueRef<'a>,
}

impl Serialize for Field<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            ValueRef::Null => serializer.serialize_none(),
            value if self.column.is_returned_nullable() => serializer.serialize_some(&json_value(self.column, value)),
            value => json_value(self.column, value).serialize(serializer),
        }
    }
}
