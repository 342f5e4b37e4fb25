//! Inserts, updates and deletes as SQL.

use super::dialect::{Dialect, Of};
use super::statement::{Sql, stored};
use crate::adapter::{AdapterError, Update};
use crate::changes::Changes;
use crate::descriptor::Descriptor;
use crate::value::{Kind, Value};

/// The arguments of the resource's insert.
///
/// # Errors
/// [`AdapterError::Constraint`] when a column cannot store its value.
pub(super) fn insert_arguments<D: Dialect>(
    resource: &'static Descriptor,
    columns: &[usize],
    record: &[Value],
) -> Result<Vec<D::Argument>, AdapterError> {
    columns.iter().map(|&column| stored::<D>(Of { resource, column }, &record[column])).collect()
}

/// Which records an update writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    /// The one of the key.
    Always,
    /// The one of the key, if a value differs from the stored one.
    IfDifferent,
}

/// Whether a statement can tell that nothing would change.
///
/// A JSON value has many texts: equal ones need not be equal as text.
pub(super) fn comparable(resource: &Descriptor, changes: &Changes) -> bool {
    changes.iter().all(|(column, _)| !matches!(resource.columns[column].kind, Kind::Json | Kind::TextList))
}

/// The statement of an update; returns the record if it was written.
///
/// # Errors
/// [`AdapterError::Constraint`] when a column cannot store its value; when the resource lacks the
/// database's statements.
pub(super) fn update<D: Dialect>(
    resource: &'static Descriptor,
    update: &Update<'_>,
    condition: Condition,
) -> Result<Sql<D>, AdapterError> {
    let statements = D::statements(resource)?;
    let mut sql = Sql::new(statements.update);
    let mut bounds = Vec::with_capacity(update.changes.len());
    let touched = update.touch.iter().filter(|(column, _)| update.changes.get(*column).is_none());
    for (position, (column, value)) in update.changes.iter().chain(touched).enumerate() {
        if position > 0 {
            sql.push(", ");
        }
        let column = Of { resource, column };
        sql.column(column);
        sql.push(" = ");
        bounds.push((column, sql.bind_stored(column, value)?));
    }
    sql.push(" WHERE ");
    let id = Of { resource, column: resource.id };
    sql.column(id);
    sql.push(" = ");
    sql.bind(D::operand(id.descriptor(), update.id).argument);
    if condition == Condition::IfDifferent {
        sql.push(" AND (");
        for (position, (column, bound)) in bounds.into_iter().take(update.changes.len()).enumerate() {
            if position > 0 {
                sql.push(" OR ");
            }
            sql.column(column);
            sql.push(D::IS_DISTINCT);
            sql.bound(bound);
        }
        sql.push(")");
    }
    sql.push(statements.returning);
    Ok(sql)
}
