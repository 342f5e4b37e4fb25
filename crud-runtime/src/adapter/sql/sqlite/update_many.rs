//! One statement that gives several records their new values.

use super::dialect::{Argument, Sqlite};
use crate::adapter::AdapterError;
use crate::adapter::sql::dialect::{Dialect, Of};
use crate::adapter::sql::statement::Sql;
use crate::descriptor::Descriptor;
use crate::value::Value;

/// What the new values are called; a table of this name would have to be made on purpose.
const NEW: &str = "new values";

/// `UPDATE … FROM (VALUES …)`: each row is the key and the values of `columns`; `touch` is set in all records.
pub(super) fn update_many<'a>(
    resource: &'static Descriptor,
    columns: &[usize],
    touch: impl Iterator<Item = (Of, Value)>,
    rows: impl Iterator<Item = &'a [Argument]>,
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
        sql.push(".");
        sql.value_column(position + 1);
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
    sql.rows(rows);
    sql.push(") AS ");
    sql.identifier(NEW);
    sql.push(" WHERE ");
    sql.identifier(resource.table);
    sql.push(".");
    sql.column(Of { resource, column: resource.id });
    sql.push(" = ");
    sql.identifier(NEW);
    sql.push(".");
    sql.value_column(0);
    sql.push(statements.returning);
    Ok(sql)
}
