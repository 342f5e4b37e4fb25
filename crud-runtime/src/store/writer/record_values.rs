//! The values of a record to be written: defaults, precision and validation.

use chrono::SubsecRound;
use uuid::Uuid;

use crate::model::changes::Changes;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role};
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::validation::{self, Violation};
use crate::model::value::{Kind, Value};
use crate::store::mounted::resource::MountedResource;

/// The number of decimals of a second that storage keeps: microseconds.
const SECOND_DECIMALS: u16 = 6;

/// The values of a new record: one for each column, with defaults and generated keys. The adapter sets the
/// timestamps, the database what it fills in.
pub(crate) fn with_defaults(resource: &Descriptor, mut changes: Changes) -> Vec<Value> {
    let fill = |(index, column): (usize, &ColumnDescriptor)| match (column.role, column.kind) {
        (Role::IsDeleted, _) => Value::Bool(false),
        (Role::DeletedAt, _) => column.deletion(None),
        _ if column.is_of_function() => Value::Null,
        _ if column.is_computed() => Value::Default,
        (Role::Id, Kind::Uuid) if !column.given && !column.database_default => Value::Uuid(Uuid::now_v7()),
        _ => changes.take(index).or_else(|| default(column)).unwrap_or(if column.database_default {
            Value::Default
        } else {
            Value::Null
        }),
    };
    resource.columns.iter().enumerate().map(fill).collect()
}

/// The default of a column, where it has one. The current time is truncated to the precision of storage.
fn default(column: &ColumnDescriptor) -> Option<Value> {
    let mut value = column.default?();
    truncate_time(&mut value);
    match column.format {
        Some(format) => Some(format.truncated(column.kind, value)),
        None => Some(value),
    }
}

/// Truncates times to the precision of storage.
pub(crate) fn truncate_times(changes: &mut Changes) {
    changes.values_mut().for_each(truncate_time);
}

/// Truncates a time to the precision of storage.
pub(crate) fn truncate_time(value: &mut Value) {
    match value {
        Value::DateTime(v) => *v = v.trunc_subsecs(SECOND_DECIMALS),
        Value::NaiveDateTime(v) => *v = v.trunc_subsecs(SECOND_DECIMALS),
        Value::Time(v) => *v = v.trunc_subsecs(SECOND_DECIMALS),
        Value::List(values) => values.iter_mut().for_each(truncate_time),
        _ => {}
    }
}

/// Validates values of an update from the program's own code by the rules for request bodies.
///
/// # Errors
/// A validation problem with every invalid field.
pub(crate) fn validate(mounted: &MountedResource, changes: &Changes) -> Result<(), Problem> {
    validate_with(mounted, changes, |_, _| Ok(()))
}

/// Validates the patch of the program's own code by the rules for request bodies, and that an update can set its fields.
///
/// # Errors
/// A validation problem with every invalid field.
pub(crate) fn validate_patch(mounted: &MountedResource, changes: &Changes) -> Result<(), Problem> {
    validate_with(mounted, changes, |column, _| {
        let is_stamped = matches!(column.role, Role::CreatedAt | Role::UpdatedAt | Role::DeletedAt | Role::IsDeleted);
        if column.role != Role::Id && !is_stamped {
            Ok(())
        } else {
            Err(Violation::new("immutable", "cannot be set by an update"))
        }
    })
}

/// Validates values of a new record from the program's own code by the rules for request bodies.
///
/// # Errors
/// A validation problem with every invalid field.
pub(crate) fn validate_new(mounted: &MountedResource, changes: &Changes) -> Result<(), Problem> {
    validate_with(mounted, changes, validation::check_new_of_program)
}

fn validate_with(
    mounted: &MountedResource,
    changes: &Changes,
    check: fn(&ColumnDescriptor, &Value) -> Result<(), Violation>,
) -> Result<(), Problem> {
    let resource = mounted.resource();
    let mut errors = FieldErrors::default();
    for (index, value) in changes.iter() {
        let column = &resource.columns[index];
        if column.is_computed() {
            errors.push(FieldError::field(column.json, "immutable", "cannot be set: it is computed"));
        }
        if value.is_null() && !column.nullable {
            errors.push(FieldError::field(column.json, "type", "must not be null"));
        }
        if let Err(error) = validation::check_kind(column, value) {
            errors.push(FieldError::field(column.json, "format", error.message()));
        }
        let mut report = |violation: Violation| errors.push(violation.at_field(column.json));
        validation::check(resource, mounted.patterns(), index, value, &mut report);
        check(column, value).unwrap_or_else(report);
    }
    errors.into_result(())
}
