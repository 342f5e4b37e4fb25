//! One statement for many records.

use std::borrow::Borrow;

use super::Sql;
use super::change::{changed, inserted};
use super::select::filter;
use crate::dialect::ColumnRef;
use crate::driver::Driver;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::value::Value;
use crate::query::Predicate;
use crate::storage::write::Update;

/// Alias of the table of new values, which no user's table has by accident.
pub(crate) const NEW: &str = "new values";

/// The statement that inserts one or more records. Each row has the values of `columns`, as an insert
/// [binds](super::change::insert_values) them, which the columns [can store](super::change::insertable). `returning`:
/// the records, if they are to be returned.
///
/// # Errors
/// When the resource lacks the database's statements.
pub(crate) fn insert<'a, E: Driver>(
    resource: &'static Descriptor,
    columns: &[usize],
    rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    returning: Option<impl Iterator<Item = &'a [Value]>>,
) -> Result<Sql<E>, AdapterError> {
    let mut sql = insert_columns(resource, columns, rows);
    if let Some(records) = returning {
        sql.returning(resource)?;
        sql.then(inserted(resource, records)?);
    }
    Ok(sql)
}

/// Inserts one or more records. Each row has the values of these columns.
pub(crate) fn insert_columns<E: Driver>(
    resource: &'static Descriptor,
    columns: &[usize],
    rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
) -> Sql<E> {
    let mut sql = Sql::new("");
    sql.insert(resource, columns);
    sql.push(") ");
    E::rows(&mut sql, resource, columns, rows);
    sql
}

/// Updates the records with these keys, in these tenants if any are given. Each row has the key and the values of
/// `columns`, which can store them. `touch` is set in all records.
///
/// # Errors
/// [`AdapterError::Constraint`] when a column cannot store its value of `touch`; when the resource lacks the database's
/// statements.
pub(crate) fn update<'a, E: Driver>(
    resource: &'static Descriptor,
    (ids, tenants): (impl Iterator<Item = &'a Key>, &[&Value]),
    columns: &[usize],
    touch: impl Iterator<Item = (ColumnRef, Value)>,
    updates: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
) -> Result<Sql<E>, AdapterError> {
    let with_key: Vec<usize> = resource.key().iter().chain(columns).copied().collect();
    let mut sql = Sql::<E>::new("UPDATE ");
    sql.table(resource);
    let mut updates = Some(updates);
    let mut new_values = |sql: &mut Sql<E>, before: &'static str, condition: &'static str| {
        sql.push(before);
        E::new_values(sql, resource, &with_key, updates.take().into_iter().flatten());
        for (position, &column) in resource.key().iter().enumerate() {
            sql.push(if position == 0 { condition } else { " AND " });
            sql.identifier(resource.own_table());
            sql.push(".");
            sql.column(ColumnRef { resource, column });
            sql.push(" = ");
            E::new_value(sql, resource, column, position);
        }
    };
    if E::UPDATE_JOINS {
        new_values(&mut sql, " JOIN ", " ON ");
    }
    sql.push(" SET ");
    for (position, &column) in columns.iter().enumerate() {
        sql.comma(position);
        sql.column(ColumnRef { resource, column });
        sql.push(" = ");
        E::new_value(&mut sql, resource, column, position + resource.key().len());
    }
    for (position, (column, value)) in touch.enumerate() {
        sql.comma(columns.len() + position);
        sql.set(column, &value)?;
    }
    if !E::UPDATE_JOINS {
        new_values(&mut sql, " FROM ", " WHERE ");
    }
    of_tenants(&mut sql, resource, tenants, if E::UPDATE_JOINS { " WHERE " } else { " AND " });
    // A change of the tenant's column has moved the records to another tenant.
    let moved = resource.tenant.is_some_and(|of| columns.contains(&of.column));
    let tenants = tenants.iter().copied().filter(|_| !moved);
    let these = || Predicate::of_keys(resource, ids).and(Predicate::of_tenants(resource, tenants));
    changed(&mut sql, resource, these)?;
    Ok(sql)
}

/// Updates records like [`update`], but without a join. The values are bound column by column:
///
/// ```sql
/// UPDATE `tickets` SET `title` = CASE WHEN `id` = ? THEN ? WHEN `id` = ? THEN ? END, `updated_at` = ? WHERE `id` IN (?, ?)
/// ```
///
/// # Errors
/// Errors of [`update`].
pub(crate) fn update_by_case<'a, E: Driver>(
    resource: &'static Descriptor,
    updates: &(impl Iterator<Item = &'a Update<'a>> + Clone),
    tenants: &[&Value],
    columns: &[usize],
    touch: impl Iterator<Item = (ColumnRef, Value)>,
) -> Result<Sql<E>, AdapterError> {
    let mut sql = Sql::<E>::new("");
    sql.update(resource);
    for (position, &column) in columns.iter().enumerate() {
        sql.comma(position);
        sql.column(ColumnRef { resource, column });
        sql.push(" = CASE");
        for update in updates.clone() {
            when(&mut sql, resource, update, column);
        }
        sql.push(" END");
    }
    for (position, (column, value)) in touch.enumerate() {
        sql.comma(columns.len() + position);
        sql.set(column, &value)?;
    }
    let ids = || updates.clone().map(|update| update.id);
    sql.push(" WHERE ");
    let of_tenants = Predicate::of_tenants(resource, tenants.iter().copied());
    filter(&mut sql, resource, &Predicate::of_keys(resource, ids()).and(of_tenants))?;
    // A change of the tenant's column has moved the records to another tenant.
    let moved = resource.tenant.is_some_and(|of| columns.contains(&of.column));
    let tenants = tenants.iter().copied().filter(|_| !moved);
    let these = || Predicate::of_keys(resource, ids()).and(Predicate::of_tenants(resource, tenants));
    changed(&mut sql, resource, these)?;
    Ok(sql)
}

/// Appends the new value of a column for one record: `WHEN "id" = ? THEN ?`.
fn when<E: Driver>(sql: &mut Sql<E>, resource: &'static Descriptor, update: &Update<'_>, column: usize) {
    for (position, (&key, value)) in resource.key().iter().zip(update.id.values()).enumerate() {
        sql.push(if position == 0 { " WHEN " } else { " AND " });
        sql.column(ColumnRef { resource, column: key });
        sql.push(" = ");
        sql.bind(E::operand(&resource.columns[key], value).argument);
    }
    sql.push(" THEN ");
    let value = update.changes.get(column).unwrap_or(&Value::Null);
    sql.bind(E::operand(&resource.columns[column], value).argument);
}

/// Appends the condition that a record belongs to one of these tenants, if any are given.
fn of_tenants<E: Driver>(sql: &mut Sql<E>, resource: &'static Descriptor, tenants: &[&Value], before: &'static str) {
    let Some(of) = resource.tenant.filter(|_| !tenants.is_empty()) else { return };
    let mut distinct: Vec<&Value> = Vec::new();
    for tenant in tenants {
        if !distinct.contains(tenant) {
            distinct.push(tenant);
        }
    }
    let column = &resource.columns[of.column];
    sql.push(before);
    sql.qualified(resource.own_table(), column.column);
    E::one_of(sql, false, distinct.into_iter().map(|tenant| E::operand(column, tenant).argument).collect());
}
