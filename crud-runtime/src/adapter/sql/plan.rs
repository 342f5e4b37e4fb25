//! What is missing in a database, and what contradicts the resources.

use super::compare::{differences, present};
use super::ddl;
use super::definition::{Definition, Table};
use super::engine::Connection;
use super::schema::{Index, indexes, names, unique_indexes, uniques};
use crate::adapter::MigrateError;
use crate::descriptor::Descriptor;

/// The statements that create what is missing. `lines`: what about the database itself does not fit.
///
/// # Errors
/// [`MigrateError::Mismatch`] with every difference.
pub(super) async fn plan<D: Definition>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
    mut lines: Vec<String>,
) -> Result<Vec<String>, MigrateError> {
    let mut statements = Vec::new();
    for resource in resources {
        match D::table(connection, resource.table).await.map_err(D::general)? {
            Some(table) => {
                let uniques = uniques(resource);
                lines.extend(differences::<D>(resource, &uniques, &table));
                let missing = missing_indexes::<D>(resource, &table);
                for index in &missing {
                    let name = D::short(index.name(resource));
                    if D::is_taken(connection, &name).await.map_err(D::general)? {
                        let columns = names(index.columns.iter().map(|column| &resource.columns[*column]));
                        lines.push(format!("index `{name}`: is there, must be on `{}` ({columns})", resource.table));
                    }
                }
                statements.extend(missing.iter().map(|index| ddl::create_index::<D>(resource, index)));
            }
            None => statements.extend(create::<D>(resource)),
        }
        lines.extend(dangling::<D>(connection, resource, resources).await.map_err(D::general)?);
    }
    if lines.is_empty() { Ok(statements) } else { Err(MigrateError::Mismatch(lines)) }
}

/// The statements that create a resource's table.
fn create<D: Definition>(resource: &'static Descriptor) -> Vec<String> {
    let uniques = uniques(resource);
    let key_implied = D::key_implied(resource, None);
    let indexes = indexes(resource, key_implied, D::PARTIAL_INDEXES, &unique_indexes(&uniques));
    ddl::create::<D>(resource, &uniques, &indexes)
}

fn missing_indexes<D: Definition>(resource: &Descriptor, table: &Table) -> Vec<Index> {
    let key_implied = D::key_implied(resource, Some(table));
    indexes(resource, key_implied, D::PARTIAL_INDEXES, &present::<D>(resource, table))
}

/// References to tables that neither are there nor will be.
async fn dangling<D: Definition>(
    connection: &mut Connection<D>,
    resource: &Descriptor,
    resources: &[&'static Descriptor],
) -> sqlx::Result<Vec<String>> {
    let mut lines = Vec::new();
    for column in resource.columns {
        let Some(reference) = &column.references else { continue };
        let target = (reference.target)().table;
        let known = resources.iter().any(|other| other.table == target);
        if !known && D::table(connection, target).await?.is_none() {
            let (table, column) = (resource.table, column.column);
            lines.push(format!("table `{table}`, column `{column}`: refers to table `{target}`, which is missing"));
        }
    }
    Ok(lines)
}
