//! One statement for many records, whose values it lists in rows.

use super::dialect::{Argument, Sqlite};
use crate::adapter::AdapterError;
use crate::adapter::sql::dialect::{Dialect, Of};
use crate::adapter::sql::statement::Sql;
use crate::descriptor::Descriptor;
use crate::value::Value;

/// What the new values are called; a table of this name would have to be made on purpose.
const NEW: &str = "new values";

/// `INSERT … VALUES (…), (…)`.
pub(super) fn insert_many<'a>(
    resource: &'static Descriptor,
    records: impl Iterator<Item = &'a [Argument]>,
    returning: bool,
) -> Result<Sql<Sqlite>, AdapterError> {
    let statements = Sqlite::statements(resource)?;
    let mut sql = Sql::new("INSERT INTO ");
    sql.identifier(resource.table);
    for (position, &column) in statements.insert_columns.iter().enumerate() {
        sql.push(if position == 0 { " (" } else { ", " });
        sql.column(Of { resource, column });
    }
    sql.push(") VALUES ");
    rows(&mut sql, records);
    if returning {
        sql.push(statements.returning);
    }
    Ok(sql)
}

/// `UPDATE … FROM (VALUES …)`: each row is the key and the values of `columns`; `touch` is set in all records.
pub(super) fn update_many<'a>(
    resource: &'static Descriptor,
    columns: &[usize],
    touch: impl Iterator<Item = (Of, Value)>,
    updates: impl Iterator<Item = &'a [Argument]>,
) -> Result<Sql<Sqlite>, AdapterError> {
    let statements = Sqlite::statements(resource)?;
    let mut sql = Sql::new(statements.update);
    for (position, &column) in columns.iter().enumerate() {
        if position > 0 {
            sql.push(", ");
        }
        sql.column(Of { resource, column });
        sql.push(" = ");
        sql.identifier(NEW);
        sql.push(".column");
        sql.count(position + 2);
    }
    for (position, (column, value)) in touch.enumerate() {
        if position > 0 || !columns.is_empty() {
            sql.push(", ");
        }
        sql.column(column);
        sql.push(" = ");
        sql.bind_stored(column, &value)?;
    }
    sql.push(" FROM (VALUES ");
    rows(&mut sql, updates);
    sql.push(") AS ");
    sql.identifier(NEW);
    sql.push(" WHERE ");
    sql.identifier(resource.table);
    sql.push(".");
    sql.column(Of { resource, column: resource.id });
    sql.push(" = ");
    sql.identifier(NEW);
    sql.push(".column1");
    sql.push(statements.returning);
    Ok(sql)
}

/// Rows of placeholders, and the arguments that they stand for.
fn rows<'a>(sql: &mut Sql<Sqlite>, rows: impl Iterator<Item = &'a [Argument]>) {
    for (row, arguments) in rows.enumerate() {
        sql.push(if row == 0 { "(" } else { ", (" });
        for (position, argument) in arguments.iter().enumerate() {
            if position > 0 {
                sql.push(", ");
            }
            sql.bind(argument.clone());
        }
        sql.push(")");
    }
}
