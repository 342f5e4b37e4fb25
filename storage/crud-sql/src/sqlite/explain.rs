//! Completing errors that SQLite leaves open.

use super::argument::Argument;
use crate::driver::{Connection, Driver};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::value::Value;
use crate::schema::ddl::is_composite;
use crate::statement::{Sql, is_of_key};

/// Names the columns of a foreign key's error, which SQLite does not: those that refer to no record.
pub(super) async fn explain<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    error: AdapterError,
    values: Vec<(usize, &Value)>,
) -> AdapterError {
    let AdapterError::ReferenceNotFound { mut columns } = error else { return error };
    let mut suspects = Vec::new();
    for &(column, value) in &values {
        let Some(reference) = resource.columns[column].constraint() else { continue };
        if value.is_null() {
            continue;
        }
        if is_composite(resource, &resource.columns[column]) {
            suspects.push(column);
        }
        // An update may leave the other columns of a reference as they are.
        let value_of =
            |column| values.iter().find(|(other, _)| *other == column).map(|(_, value)| (*value).clone()).ok_or(());
        let Ok(Some(key)) = reference.key(column, value_of) else { continue };
        let found = D::all(connection, exists::<D>((reference.target)(), &key).finish()).await;
        if found.is_ok_and(|rows| rows.is_empty()) {
            columns.push(column);
        }
    }
    // A record that is there is another tenant's.
    AdapterError::ReferenceNotFound { columns: if columns.is_empty() { suspects } else { columns } }
}

fn exists<D: Driver<Argument = Argument>>(resource: &'static Descriptor, id: &Key) -> Sql<D> {
    let mut sql = Sql::new("SELECT 1 FROM ");
    sql.identifier(resource.table);
    sql.push(" WHERE ");
    is_of_key(&mut sql, resource, id);
    sql
}
