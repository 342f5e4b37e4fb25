//! Plan of a migration without files: the tables that a service creates by itself, and the differences that it refuses.

use super::ddl;
use super::diff::compare;
use super::table_diff::named_unique;
use super::view;
use crate::model::descriptor::Descriptor;
use crate::storage::indexes::{indexes, unique_indexes, uniques};
use crate::storage::migrate_error::MigrateError;
use crate::storage::schema::{Difference, What};
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
        lines.extend(refused.map(|difference| match remedy::<D>(resource, &difference.what) {
            Some(statement) => format!("{difference}\n    {statement}"),
            None => difference.to_string(),
        }));
        let drop = D::TABLES.drop_search;
        statements.extend(compared.search.unused.iter().flat_map(|unused| drop(resource.table, &unused.name)));
        match compared.table {
            None => statements.extend(create::<D>(resource)),
            Some(_) => statements.extend(compared.indexes.iter().map(|index| ddl::create_index::<D>(resource, index))),
        }
        statements.extend(compared.search.missing.into_iter().flat_map(|search| search.create));
    }
    let views = view::compare::<D>(connection, resources).await.map_err(D::general)?;
    let differences = views.iter().flat_map(|view| &view.differences);
    lines.extend(differences.filter(|difference| difference.is_refused()).map(Difference::to_string));
    // Each after the tables and views that it reads.
    statements.extend(view::statements::<D>(&views));
    if lines.is_empty() { Ok(statements) } else { Err(MigrateError::Mismatch(lines)) }
}

/// The statements that create a resource's table.
pub(crate) fn create<D: Driver>(resource: &'static Descriptor) -> Vec<String> {
    let uniques = uniques(resource);
    let key_implied = (D::TABLES.key_implied)(resource, None);
    let indexes = indexes(resource, key_implied, D::TABLES.active_by, &unique_indexes(&uniques));
    ddl::create::<D>(resource, &uniques, &indexes)
}

/// The statement that gives the records of an existing table their tenant, where the difference is a part of that: only the
/// reader knows whose they are.
fn remedy<D: Driver>(resource: &Descriptor, what: &What) -> Option<String> {
    let tenant = resource.tenant?.column;
    let (descriptor, table) = (&resource.columns[tenant], ddl::identifier::<D>(resource.table));
    match what {
        What::ColumnMissing { column } if *column == descriptor.column => Some(format!(
            "ALTER TABLE {table} ADD COLUMN {} {} NOT NULL DEFAULT …; -- the tenant of the records that are there",
            ddl::identifier::<D>(column),
            (D::TABLES.column_type)(resource, descriptor)
        )),
        // A condition or an expression that no index can have needs a column first.
        What::UniqueMissing { columns, active, case_insensitive } if columns.contains(&descriptor.column) => {
            let unique = named_unique(resource, columns, case_insensitive, *active);
            let has_condition = unique.active.is_none() || D::TABLES.partial_indexes();
            let is_possible = has_condition && (case_insensitive.is_empty() || D::TABLES.folded.is_some());
            is_possible.then(|| ddl::create_unique_index::<D>(resource, &unique) + ";")
        }
        _ => None,
    }
}
