//! What is written: a whole record from a create's values, the touch of an update, the checks of both.

use uuid::Uuid;

use crate::changes::Changes;
use crate::descriptor::{ColumnDescriptor, Descriptor, Role};
use crate::error::{FieldError, FieldErrors, Problem};
use crate::mounted::Mounted;
use crate::rules;
use crate::text;
use crate::value::{Kind, Value};

/// A value for every column: the given ones, defaults, timestamps and what is assigned.
pub(crate) fn complete(resource: &Descriptor, mut changes: Changes) -> Vec<Value> {
    let now = Value::DateTime(text::now());
    let fill = |(index, column): (usize, &ColumnDescriptor)| match (column.role, column.kind) {
        (Role::CreatedAt | Role::UpdatedAt, _) => now.clone(),
        (Role::Id, Kind::Uuid) => Value::Uuid(Uuid::now_v7()),
        _ => changes.take(index).or_else(|| column.default.map(|default| default())).unwrap_or(Value::Null),
    };
    resource.columns.iter().enumerate().map(fill).collect()
}

/// What an update that changes something sets besides.
pub(crate) fn touch(resource: &Descriptor) -> Changes {
    let mut touch = Changes::new();
    let updated = resource.columns.iter().position(|column| column.role == Role::UpdatedAt);
    if let Some(index) = updated {
        touch.set(index, Value::DateTime(text::now()));
    }
    touch
}

/// Checks values that the user's own code sets, with the rules that bodies are checked with.
///
/// # Errors
/// A validation problem with every field that does not fit.
pub(crate) fn check(mounted: &Mounted, changes: &Changes) -> Result<(), Problem> {
    let resource = mounted.resource();
    let mut errors = FieldErrors::default();
    for (index, value) in changes.iter() {
        let column = &resource.columns[index];
        if value.is_null() && !column.nullable {
            errors.push(FieldError::field(column.json, "type", "must not be null"));
        }
        if let Err(error) = rules::check_kind(column, value) {
            errors.push(FieldError::field(column.json, "format", error.message()));
        }
        rules::check(resource, mounted.patterns(), index, value, |(code, detail)| {
            errors.push(FieldError::field(column.json, code, detail));
        });
    }
    errors.into_result(())
}
