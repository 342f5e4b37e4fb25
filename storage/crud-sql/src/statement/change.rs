//! Inserts, updates, deletes and restores as SQL.

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use super::select::{self, Part, filter};
use super::{Sql, Statement, is_of_record, storable, stored};
use crate::dialect::{ColumnRef, Dialect};
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{Descriptor, Role};
use crate::model::key::Key;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate, deletion};
use crate::storage::decide::{IntentCondition, RecordState, managed_columns};
use crate::storage::write::Update;

/// The value of a boolean soft-delete column in a new record. A deletion timestamp, in contrast, is not set by an
/// insert.
const ACTIVE: Value = Value::Bool(false);

/// The values that an insert of a record binds, in the order of these columns. `time`: the time of creation.
pub(crate) fn insert_values<'a>(
    resource: &'static Descriptor,
    columns: &'a [usize],
    record: &'a [Value],
    time: &'a Value,
) -> impl Iterator<Item = &'a Value> {
    let value = move |&column: &usize| match resource.columns[column].role {
        Role::CreatedAt | Role::UpdatedAt => time,
        Role::DeletedAt => &ACTIVE,
        _ => &record[column],
    };
    columns.iter().map(value)
}

/// Moves the values of an insert out of a record that is not used afterwards.
pub(crate) fn into_insert_values<'a>(
    resource: &'static Descriptor,
    columns: &'a [usize],
    mut record: Vec<Value>,
    time: &'a Value,
) -> impl Iterator<Item = Value> {
    let value = move |&column: &usize| match resource.columns[column].role {
        Role::CreatedAt | Role::UpdatedAt => time.clone(),
        Role::DeletedAt => ACTIVE,
        _ => std::mem::replace(&mut record[column], Value::Null),
    };
    columns.iter().map(value)
}

/// The columns that an insert of a record sets, without those that the database fills in.
///
/// # Errors
/// When the resource lacks the database's statements.
pub(crate) fn insert_columns<D: Dialect>(
    resource: &'static Descriptor,
    record: &[Value],
) -> Result<Cow<'static, [usize]>, AdapterError> {
    let fixed = D::statements(resource)?.insert_columns;
    if !resource.is_filled || !fixed.iter().any(|column| record[*column].is_default()) {
        return Ok(Cow::Borrowed(fixed));
    }
    Ok(fixed.iter().copied().filter(|column| !record[*column].is_default()).collect())
}

/// Checks that every column can store the record's value.
///
/// # Errors
/// [`AdapterError::Constraint`] when a column cannot store its value; when the resource lacks the
/// database's statements.
pub(crate) fn insertable<D: Dialect>(resource: &'static Descriptor, record: &[Value]) -> Result<(), AdapterError> {
    let columns = D::statements(resource)?.insert_columns;
    // The times can be null here: every column can store the time of a change.
    let values = insert_values(resource, columns, record, &Value::Null);
    columns.iter().zip(values).try_for_each(|(&column, value)| storable::<D>(ColumnRef { resource, column }, value))
}

/// The arguments of the insert of one record.
///
/// # Errors
/// Errors of [`insertable`].
pub(crate) fn insert_arguments<D: Dialect>(
    resource: &'static Descriptor,
    record: &[Value],
    time: DateTime<Utc>,
) -> Result<Vec<D::Argument>, AdapterError> {
    let (columns, time) = (insert_columns::<D>(resource, record)?, Value::DateTime(time));
    let values = insert_values(resource, &columns, record, &time);
    columns.iter().zip(values).map(|(&column, value)| stored::<D>(ColumnRef { resource, column }, value)).collect()
}

/// The statement that inserts one record with these [arguments](insert_arguments), and returns it.
///
/// # Errors
/// When the resource lacks the database's statements.
pub(crate) fn insert<D: Dialect>(
    resource: &'static Descriptor,
    record: &[Value],
    arguments: Vec<D::Argument>,
) -> Result<Statement<D>, AdapterError> {
    let mut statement = match insert_columns::<D>(resource, record)? {
        Cow::Borrowed(_) => Statement::fixed(D::statements(resource)?.insert, arguments),
        Cow::Owned(columns) => insert_some::<D>(resource, &columns, arguments)?.finish(),
    };
    statement.then = inserted(resource, std::iter::once(record))?.map(|reads| Box::new(reads.finish()));
    Ok(statement)
}

/// The statement that inserts these columns, in the form of the fixed statement.
fn insert_some<D: Dialect>(
    resource: &'static Descriptor,
    columns: &[usize],
    arguments: Vec<D::Argument>,
) -> Result<Sql<D>, AdapterError> {
    let mut sql = Sql::new("");
    sql.insert(resource, columns);
    if columns.is_empty() {
        sql.push(" ");
        sql.push(D::SPELLING.no_values);
    } else {
        sql.push(") VALUES (");
        sql.bind_list(arguments);
        sql.push(")");
    }
    sql.returning(resource)?;
    Ok(sql)
}

/// The statement that reads the records that were just inserted, for inserts that do not return them. The key of a
/// record is null where storage assigned it.
pub(crate) fn inserted<'a, D: Dialect>(
    resource: &'static Descriptor,
    records: impl Iterator<Item = &'a [Value]>,
) -> Result<Option<Sql<D>>, AdapterError> {
    if D::RETURNS {
        return Ok(None);
    }
    let records: Vec<&[Value]> = records.collect();
    let keys: Vec<Key> = records.iter().map(|record| Key::of(resource, record)).collect();
    let mut sql = Sql::select(resource)?;
    sql.push(" WHERE ");
    let are_assigned = keys.iter().all(Key::is_null);
    if are_assigned {
        D::inserted(&mut sql, resource, keys.len());
    } else {
        filter(&mut sql, resource, &Predicate::of_keys(resource, &keys))?;
    }
    if let Some(tenant) = resource.tenant {
        let tenants = records.iter().map(|record| &record[tenant.column]);
        let of_tenants = Predicate::of_tenants(resource, tenants);
        if of_tenants != Predicate::All {
            sql.push(" AND ");
            filter(&mut sql, resource, &of_tenants)?;
        }
    }
    if are_assigned {
        D::first_inserted(&mut sql, resource, keys.len());
    }
    Ok(Some(sql))
}

/// Makes a change return its records, which must satisfy the predicate after the change, too.
pub(crate) fn changed<D: Dialect>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    predicate: impl FnOnce() -> Predicate,
) -> Result<(), AdapterError> {
    if D::RETURNS {
        sql.returning(resource)?;
    } else {
        let query = ListQuery::all(resource).filter(predicate());
        sql.then(Some(select::select(resource, &query, Part::Whole, None)?));
    }
    Ok(())
}

/// The predicate of records in this state.
///
/// # Errors
/// When the resource has no soft delete.
pub(crate) fn in_state(resource: &'static Descriptor, state: RecordState) -> Result<Predicate, AdapterError> {
    Ok(deletion(resource, deletion_timestamp(resource)?, state == RecordState::Deleted))
}

/// Whether a statement can compare the changed columns, and so find out that nothing would change.
pub(crate) fn comparable<D: Dialect>(resource: &Descriptor, changes: &Changes) -> bool {
    changes.iter().all(|(column, _)| D::comparable(&resource.columns[column]))
}

/// The columns that an update sets besides its changes: the time of update and, if it restores, the deletion timestamp.
pub(crate) fn touch(
    resource: &'static Descriptor,
    time: DateTime<Utc>,
    restores: bool,
) -> impl Iterator<Item = (ColumnRef, Value)> {
    managed_columns(resource, restores).map(move |(column, role)| {
        let descriptor = &resource.columns[column];
        let value = if role == Role::UpdatedAt { descriptor.time(time) } else { descriptor.deletion(None) };
        (ColumnRef { resource, column }, value)
    })
}

/// The statement that updates the record with this key, in the given tenant if any, under a condition. It returns the
/// record if that was written.
///
/// # Errors
/// [`AdapterError::Constraint`] when a column cannot store its value; when the resource lacks the
/// database's statements.
pub(crate) fn update<D: Dialect>(
    resource: &'static Descriptor,
    (update, tenant): (&Update<'_>, Option<&Value>),
    condition: IntentCondition,
    time: DateTime<Utc>,
    restores: bool,
) -> Result<Sql<D>, AdapterError> {
    let mut sql = Sql::new("");
    sql.update(resource);
    let mut bounds = Vec::with_capacity(update.changes.len());
    for (position, (column, value)) in update.changes.iter().enumerate() {
        sql.comma(position);
        let column = ColumnRef { resource, column };
        bounds.push((column, sql.set(column, value)?));
    }
    for (position, (column, value)) in touch(resource, time, restores).enumerate() {
        sql.comma(bounds.len() + position);
        sql.column(column);
        sql.push(" = ");
        let argument = stored::<D>(column, &value)?;
        match condition {
            IntentCondition::Always | IntentCondition::InState(_) => drop(sql.bind(argument)),
            IntentCondition::Differs => D::later(&mut sql, column, argument),
        }
    }
    sql.push(" WHERE ");
    is_of_record(&mut sql, resource, update.id, tenant);
    match condition {
        IntentCondition::Always => {}
        IntentCondition::Differs => {
            sql.push(" AND (");
            for (position, (column, bound)) in bounds.into_iter().enumerate() {
                if position > 0 {
                    sql.push(" OR ");
                }
                D::distinct(&mut sql, column);
                sql.push(D::IS_DISTINCT);
                sql.bound(bound);
            }
            sql.push(")");
        }
        IntentCondition::InState(state) => {
            sql.push(" AND ");
            filter(&mut sql, resource, &in_state(resource, state)?)?;
        }
    }
    let after = || {
        let moved = resource.tenant.and_then(|of| update.changes.get(of.column));
        Predicate::of_key(resource, update.id).and(Predicate::of_tenant(resource, tenant.and(moved).or(tenant)))
    };
    changed(&mut sql, resource, after)?;
    Ok(sql)
}

/// The statement that sets or clears the deletion timestamp of the records that satisfy a predicate, and returns them.
/// Where changes return nothing, the predicate finds the records again afterwards, so that they must still satisfy it.
///
/// # Errors
/// When the resource has no soft delete or lacks the database's statements.
pub(crate) fn set_deleted<D: Dialect>(
    resource: &'static Descriptor,
    deleted_at: Option<DateTime<Utc>>,
    predicate: &Predicate,
) -> Result<Sql<D>, AdapterError> {
    let column = ColumnRef { resource, column: deletion_timestamp(resource)? };
    let mut sql = Sql::new("");
    sql.update(resource);
    sql.set(column, &column.descriptor().deletion(deleted_at))?;
    sql.push(" WHERE ");
    filter(&mut sql, resource, predicate)?;
    changed(&mut sql, resource, || predicate.clone())?;
    Ok(sql)
}

/// The statement that removes the records that satisfy a predicate, and returns them where deletes can.
///
/// # Errors
/// When the resource lacks the database's statements.
pub(crate) fn delete<D: Dialect>(resource: &'static Descriptor, predicate: &Predicate) -> Result<Sql<D>, AdapterError> {
    let mut sql = Sql::new("DELETE FROM ");
    sql.table(resource);
    sql.push(" WHERE ");
    filter(&mut sql, resource, predicate)?;
    if D::RETURNS {
        sql.returning(resource)?;
    }
    Ok(sql)
}

/// The column of the deletion timestamp.
///
/// # Errors
/// When the resource has no soft delete.
pub(crate) fn deletion_timestamp(resource: &'static Descriptor) -> Result<usize, AdapterError> {
    let soft_delete = resource.soft_delete;
    soft_delete
        .map(|soft_delete| soft_delete.deleted_at)
        .ok_or_else(|| AdapterError::Other(format!("{} has no soft delete", resource.name).into()))
}
