//! One statement for many records, whose values it binds as a list for each column: its text is the same for
//! any number of them.

use super::argument::Argument;
use super::dialect::Postgres;
use super::types::Type;
use crate::adapter::AdapterError;
use crate::adapter::sql::dialect::{Dialect, Of};
use crate::adapter::sql::statement::Sql;
use crate::descriptor::Descriptor;
use crate::value::Value;

/// What the list of rows is called; a table of this name would have to be made on purpose.
const NEW: &str = "new values";

/// `INSERT … SELECT … FROM unnest(…)`.
pub(super) fn insert_many<'a>(
    resource: &'static Descriptor,
    records: impl Iterator<Item = &'a [Argument]>,
    returning: bool,
) -> Result<Sql<Postgres>, AdapterError> {
    let statements = Postgres::statements(resource)?;
    let mut sql = Sql::new("INSERT INTO ");
    sql.identifier(resource.table);
    for (position, &column) in statements.insert_columns.iter().enumerate() {
        sql.push(if position == 0 { " (" } else { ", " });
        sql.column(Of { resource, column });
    }
    sql.push(") SELECT ");
    for (position, &column) in statements.insert_columns.iter().enumerate() {
        if position > 0 {
            sql.push(", ");
        }
        new_value(&mut sql, resource, column, position);
    }
    sql.push(" FROM ");
    rows(&mut sql, resource, statements.insert_columns, records);
    if returning {
        sql.push(statements.returning);
    }
    Ok(sql)
}

/// `UPDATE … FROM unnest(…)`: each row is the key and the values of `columns`; `touch` is set in all records.
pub(super) fn update_many<'a>(
    resource: &'static Descriptor,
    columns: &[usize],
    touch: impl Iterator<Item = (Of, Value)>,
    updates: impl Iterator<Item = &'a [Argument]>,
) -> Result<Sql<Postgres>, AdapterError> {
    let statements = Postgres::statements(resource)?;
    let mut sql = Sql::new(statements.update);
    for (position, &column) in columns.iter().enumerate() {
        if position > 0 {
            sql.push(", ");
        }
        sql.column(Of { resource, column });
        sql.push(" = ");
        new_value(&mut sql, resource, column, position + 1);
    }
    for (position, (column, value)) in touch.enumerate() {
        if position > 0 || !columns.is_empty() {
            sql.push(", ");
        }
        sql.column(column);
        sql.push(" = ");
        sql.bind_stored(column, &value)?;
    }
    sql.push(" FROM ");
    let with_key: Vec<usize> = std::iter::once(resource.id).chain(columns.iter().copied()).collect();
    rows(&mut sql, resource, &with_key, updates);
    sql.push(" WHERE ");
    sql.identifier(resource.table);
    sql.push(".");
    sql.column(Of { resource, column: resource.id });
    sql.push(" = ");
    new_value(&mut sql, resource, resource.id, 0);
    sql.push(statements.returning);
    Ok(sql)
}

/// `unnest($1, $2) AS "new values" ("new 1", "new 2")`: names that no column is likely to have, because those
/// of the table stand beside them.
fn rows<'a>(
    sql: &mut Sql<Postgres>,
    resource: &'static Descriptor,
    columns: &[usize],
    records: impl Iterator<Item = &'a [Argument]>,
) {
    let mut lists: Vec<Vec<Argument>> = columns.iter().map(|_| Vec::new()).collect();
    for record in records {
        for (list, argument) in lists.iter_mut().zip(record) {
            list.push(argument.clone());
        }
    }
    sql.push("unnest(");
    for (position, (column, list)) in columns.iter().zip(lists).enumerate() {
        if position > 0 {
            sql.push(", ");
        }
        sql.bind(Argument::list(Type::of(&resource.columns[*column]), list));
    }
    sql.push(") AS ");
    sql.identifier(NEW);
    for position in 0..columns.len() {
        sql.push(if position == 0 { " (" } else { ", " });
        name(sql, position);
    }
    sql.push(")");
}

fn new_value(sql: &mut Sql<Postgres>, resource: &'static Descriptor, column: usize, position: usize) {
    sql.identifier(NEW);
    sql.push(".");
    name(sql, position);
    if Type::of(&resource.columns[column]) == Type::Texts {
        sql.push("::text[]");
    }
}

fn name(sql: &mut Sql<Postgres>, position: usize) {
    sql.push("\"new ");
    sql.count(position + 1);
    sql.push("\"");
}
