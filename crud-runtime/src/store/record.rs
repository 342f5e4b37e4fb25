//! What is written: a whole record from a create's values, and the checks of it.

use chrono::SubsecRound;
use uuid::Uuid;

use super::mounted_resource::Mounted;
use crate::model::changes::Changes;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role};
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::validation;
use crate::model::value::{Kind, Value};

/// A value for every column: the given ones, defaults and what is assigned. The times are the adapter's to set.
pub(crate) fn complete(resource: &Descriptor, mut changes: Changes) -> Vec<Value> {
    let fill = |(index, column): (usize, &ColumnDescriptor)| match (column.role, column.kind) {
        (Role::IsDeleted, _) => Value::Bool(false),
        (Role::Id, Kind::Uuid) => Value::Uuid(Uuid::now_v7()),
        _ => changes.take(index).or_else(|| column.default.map(|default| default())).unwrap_or(Value::Null),
    };
    resource.columns.iter().enumerate().map(fill).collect()
}

/// Cuts times that the user's own code sets to the microseconds that storage keeps: the clock has more of them
/// than anybody means.
pub(crate) fn cut(changes: &mut Changes) {
    for value in changes.values_mut() {
        match value {
            Value::DateTime(v) => *v = v.trunc_subsecs(MICROSECONDS),
            Value::NaiveDateTime(v) => *v = v.trunc_subsecs(MICROSECONDS),
            Value::Time(v) => *v = v.trunc_subsecs(MICROSECONDS),
            _ => {}
        }
    }
}

/// Digits after the point of a second.
const MICROSECONDS: u16 = 6;

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
        if let Err(error) = validation::check_kind(column, value) {
            errors.push(FieldError::field(column.json, "format", error.message()));
        }
        validation::check(resource, mounted.patterns(), index, value, |(code, detail)| {
            errors.push(FieldError::field(column.json, code, detail));
        });
    }
    errors.into_result(())
}
