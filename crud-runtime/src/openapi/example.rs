//! Example bodies of a resource.

use serde_json::{Map, Value};

use crate::descriptor::{ColumnDescriptor, Descriptor};
use crate::openapi::sample;

/// How many fields the example of a change changes.
const CHANGED: usize = 2;

/// A record as answers have it.
pub(super) fn record(descriptor: &Descriptor) -> Option<Value> {
    object(descriptor.columns.iter().filter(|column| column.is_returned()), ColumnDescriptor::is_returned)
}

/// What creates a record.
pub(super) fn create(descriptor: &Descriptor) -> Option<Value> {
    object(settable(descriptor), ColumnDescriptor::is_required)
}

/// What changes a record.
pub(super) fn patch(descriptor: &Descriptor) -> Option<Value> {
    let changeable =
        settable(descriptor).filter(|column| !column.immutable && descriptor.id_column().name != column.name);
    object(changeable.take(CHANGED), |_| false)
}

fn settable(descriptor: &Descriptor) -> impl Iterator<Item = &ColumnDescriptor> {
    descriptor.columns.iter().filter(|column| !column.hidden && !column.is_managed())
}

/// An object of these fields: none at all when there is no sample of a field that it needs.
fn object<'a>(
    columns: impl Iterator<Item = &'a ColumnDescriptor>,
    is_needed: impl Fn(&ColumnDescriptor) -> bool,
) -> Option<Value> {
    let mut object = Map::new();
    for column in columns {
        match sample::value(column) {
            Some(value) => drop(object.insert(column.json.to_owned(), sample::json(column, value.borrow()))),
            None if !is_needed(column) => {}
            None if column.nullable => drop(object.insert(column.json.to_owned(), Value::Null)),
            None => return None,
        }
    }
    Some(object.into())
}
