//! One statement that inserts several records.

use super::dialect::{Argument, Sqlite};
use crate::adapter::AdapterError;
use crate::adapter::sql::dialect::{Dialect, Of};
use crate::adapter::sql::statement::Sql;
use crate::descriptor::Descriptor;

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
    sql.rows(records);
    if returning {
        sql.push(statements.returning);
    }
    Ok(sql)
}
