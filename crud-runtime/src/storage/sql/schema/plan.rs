//! What a service creates by itself, and what it refuses.

use super::ddl;
use super::diff::compare;
use crate::model::descriptor::Descriptor;
use crate::storage::indexes::{indexes, unique_indexes, uniques};
use crate::storage::migrate_error::MigrateError;
use crate::storage::schema::Difference;
use crate::storage::sql::driver::{Connection, Driver};

/// The statements that create what is missing. `lines`: what does not fit about the database itself.
///
/// # Errors
/// [`MigrateError::Mismatch`] with every difference.
pub(crate) async fn plan<D: Driver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
    mut lines: Vec<String>,
) -> Result<Vec<String>, MigrateError> {
    let mut statements = Vec::new();
    for compared in compare::<D>(connection, resources).await.map_err(D::general)? {
        let resource = compared.resource;
        let refused = compared.differences.iter().filter(|difference| difference.is_refused());
        lines.extend(refused.map(Difference::to_string));
        match compared.table {
            None => statements.extend(create::<D>(resource)),
            Some(_) => statements.extend(compared.indexes.iter().map(|index| ddl::create_index::<D>(resource, index))),
        }
    }
    if lines.is_empty() { Ok(statements) } else { Err(MigrateError::Mismatch(lines)) }
}

/// The statements that create a resource's table.
pub(crate) fn create<D: Driver>(resource: &'static Descriptor) -> Vec<String> {
    let uniques = uniques(resource);
    let key_implied = (D::TABLES.key_implied)(resource, None);
    let indexes = indexes(resource, key_implied, D::TABLES.active_by, &unique_indexes(&uniques));
    ddl::create::<D>(resource, &uniques, &indexes)
}
