//! One statement for many records.

use std::borrow::Borrow;

use super::Sql;
use super::change::{changed, inserted};
use crate::dialect::Of;
use crate::driver::Driver;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::value::Value;
use crate::query::Predicate;

/// Name of the table of new values; a user's table has this name only on purpose.
pub(crate) const NEW: &str = "new values";

/// Inserts several records, of each the values that an insert [binds](super::change::insert_values) and columns [can
/// store](super::change::insertable); there is one at least. `returning`: the keys of the records, null where storage
/// assigns them; nothing, where the records are not asked for.
///
/// # Errors
/// When the resource lacks the database's statements.
pub(crate) fn insert<'a, E: Driver>(
    resource: &'static Descriptor,
    rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    returning: Option<impl Iterator<Item = &'a Value>>,
) -> Result<Sql<E>, AdapterError> {
    let statements = E::statements(resource)?;
    let mut sql = insert_columns(resource, statements.insert_columns, rows);
    if let Some(ids) = returning {
        sql.push(statements.returning);
        sql.then(inserted(resource, ids)?);
    }
    Ok(sql)
}

/// Inserts several records, of each the values of these columns; there is one at least.
pub(crate) fn insert_columns<E: Driver>(
    resource: &'static Descriptor,
    columns: &[usize],
    rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
) -> Sql<E> {
    let mut sql = Sql::new("INSERT INTO ");
    sql.identifier(resource.table);
    for (position, &column) in columns.iter().enumerate() {
        sql.push(if position == 0 { " (" } else { ", " });
        sql.column(Of { resource, column });
    }
    sql.push(") ");
    E::rows(&mut sql, resource, columns, rows);
    sql
}

/// Updates the records of these keys: each row is the key and the values of `columns`, which can store them; `touch`
/// is set in all.
///
/// # Errors
/// [`AdapterError::Constraint`] when a column cannot store what all are set to; when the resource lacks the
/// database's statements.
pub(crate) fn update<'a, E: Driver>(
    resource: &'static Descriptor,
    ids: impl Iterator<Item = &'a Value>,
    columns: &[usize],
    touch: impl Iterator<Item = (Of, Value)>,
    updates: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
) -> Result<Sql<E>, AdapterError> {
    let with_key: Vec<usize> = std::iter::once(resource.id).chain(columns.iter().copied()).collect();
    let mut sql = Sql::<E>::new("UPDATE ");
    sql.identifier(resource.table);
    let mut updates = Some(updates);
    let mut new_values = |sql: &mut Sql<E>, before: &'static str, condition: &'static str| {
        sql.push(before);
        E::new_values(sql, resource, &with_key, updates.take().into_iter().flatten());
        sql.push(condition);
        sql.identifier(resource.table);
        sql.push(".");
        sql.column(Of { resource, column: resource.id });
        sql.push(" = ");
        E::new_value(sql, resource, resource.id, 0);
    };
    if E::UPDATE_JOINS {
        new_values(&mut sql, " JOIN ", " ON ");
    }
    sql.push(" SET ");
    for (position, &column) in columns.iter().enumerate() {
        if position > 0 {
            sql.push(", ");
        }
        sql.column(Of { resource, column });
        sql.push(" = ");
        E::new_value(&mut sql, resource, column, position + 1);
    }
    for (position, (column, value)) in touch.enumerate() {
        if position > 0 || !columns.is_empty() {
            sql.push(", ");
        }
        sql.column(column);
        sql.push(" = ");
        sql.bind_stored(column, &value)?;
    }
    if !E::UPDATE_JOINS {
        new_values(&mut sql, " FROM ", " WHERE ");
    }
    let these = || Predicate::In { column: resource.id, negated: false, values: ids.cloned().collect() };
    changed(&mut sql, resource, these)?;
    Ok(sql)
}
