//! Completes errors that SQLite reports without columns.

use super::argument::Argument;
use crate::driver::{Connection, Driver};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::value::Value;
use crate::schema::ddl::is_composite;
use crate::statement::{Sql, is_of_record};

/// Finds the columns of a foreign key error, which SQLite does not name, by looking up the records that they refer to.
pub(super) async fn explain<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    error: AdapterError,
    values: Vec<(usize, &Value)>,
) -> AdapterError {
    let AdapterError::ReferenceNotFound { mut columns } = error else { return error };
    let mut suspects = Vec::new();
    let value = |column: usize| values.iter().find(|(other, _)| *other == column).map(|(_, value)| *value);
    for (column, descriptor) in resource.columns.iter().enumerate() {
        let Some(reference) = descriptor.constraint() else { continue };
        let own = reference.columns(&column);
        let refers_to_none = own.iter().any(|part| value(*part).is_some_and(Value::is_null));
        if refers_to_none || own.iter().all(|part| value(*part).is_none()) {
            continue;
        }
        if is_composite(resource, descriptor) {
            suspects.push(column);
        }
        // An update may leave a part of the key unchanged, which is then unknown.
        let Ok(Some(key)) = reference.key(column, |part| value(part).cloned().ok_or(())) else { continue };
        let found = D::all(connection, exists::<D>((reference.target)(), &key).finish()).await;
        if found.is_ok_and(|rows| rows.is_empty()) {
            columns.push(column);
        }
    }
    // No record is missing: one belongs to another tenant, or a part of a key is unknown here.
    AdapterError::ReferenceNotFound { columns: if columns.is_empty() { suspects } else { columns } }
}

fn exists<D: Driver<Argument = Argument>>(resource: &'static Descriptor, id: &Key) -> Sql<D> {
    let mut sql = Sql::new("SELECT 1 FROM ");
    sql.identifier(resource.table);
    sql.push(" WHERE ");
    is_of_record(&mut sql, resource, id, None);
    sql
}
