//! Plan of a migration without files: the tables that a service creates by itself, and the differences that it refuses.

use super::comparison::compared::Compared;
use super::comparison::diff::compare;
use super::comparison::table_diff::missing_unique;
use super::ddl;
use super::foreign_key;
use super::view;
use crate::catalogue::table::Parts;
use crate::driver::Connection;
use crate::identifier::{identifier, table_identifier};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::schema::driver::SchemaDriver;
use crate::storage::migrate_error::MigrateError;
use crate::storage::schema::{Difference, DifferenceKind};
use crate::table_dialect::InTable;

/// The statements that create what is missing.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The statements, in order.
    pub(crate) statements: Vec<String>,
    /// The tables that they create.
    pub(crate) tables: Vec<&'static str>,
}

/// The plan of what is missing. `lines`: what does not fit about the database itself.
///
/// # Errors
/// [`MigrateError::Mismatch`] with every difference.
pub(crate) async fn plan<D: SchemaDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
    lines: Vec<String>,
) -> Result<Plan, MigrateError> {
    let all = compare::<D>(connection, resources, Parts::Schema).await.map_err(D::general)?;
    of_compared::<D>(connection, resources, all, lines).await
}

/// The plan of what compared tables lack, and what views do.
pub(crate) async fn of_compared<D: SchemaDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
    all: Vec<Compared>,
    mut lines: Vec<String>,
) -> Result<Plan, MigrateError> {
    let (mut statements, mut foreign_keys, mut schemas) = (Vec::new(), Vec::new(), Vec::new());
    let mut tables = Vec::new();
    let mut later = missing::<D>(&all);
    for compared in all {
        let resource = compared.resource;
        let refused = compared.differences.iter().filter(|difference| difference.is_refused());
        lines.extend(refused.map(|difference| match remedy::<D>(resource, &difference.what) {
            Some(statement) => format!("{difference}\n    {statement}"),
            None => difference.to_string(),
        }));
        if !resource.is_managed() {
            continue;
        }
        let create_index = |index| ddl::definition_of_index::<D>(resource, index).create_on::<D>(resource.table);
        let drop = D::TABLES.drop_search;
        statements.extend(compared.replaced_searches().flat_map(|unused| drop(resource.table, &unused.name)));
        match compared.table {
            None => {
                if let Some(schema) = resource.schema().filter(|schema| !schemas.contains(schema))
                    && !D::has_schema(connection, schema).await.map_err(D::general)?
                {
                    schemas.push(schema);
                    statements.insert(0, format!("CREATE SCHEMA IF NOT EXISTS {}", identifier::<D>(schema)));
                }
                later.retain(|table| *table != resource.table);
                tables.push(resource.table);
                statements.extend(ddl::create::<D>(resource, &later));
                let columns = resource.columns.iter().filter(|column| ddl::refers_to(column, &later));
                foreign_keys.extend(columns.filter_map(|column| add_foreign_key::<D>(resource, column)));
            }
            Some(_) => statements.extend(compared.indexes.iter().map(create_index)),
        }
        statements.extend(compared.search.missing.into_iter().flat_map(|search| search.create));
    }
    statements.extend(foreign_keys);
    let views = view::compare::<D>(connection, resources).await.map_err(D::general)?;
    let differences = views.iter().flat_map(|view| &view.differences);
    lines.extend(differences.filter(|difference| difference.is_refused()).map(Difference::to_string));
    // Each after the tables and views that it reads.
    statements.extend(view::statements::<D>(&views));
    if lines.is_empty() { Ok(Plan { statements, tables }) } else { Err(MigrateError::Mismatch(lines)) }
}

/// The names of tables and columns that have more bytes than a name can, a line each.
#[cfg(any(feature = "mysql", feature = "postgres"))]
pub(crate) fn too_long_names(resources: &[&'static Descriptor], most: usize) -> Vec<String> {
    let too_long = |resource: &&'static Descriptor| {
        let table = resource.table;
        let names = std::iter::once(table).chain(resource.columns.iter().map(|column| column.column));
        let too_long = names.filter(move |name| name.len() > most);
        too_long
            .map(move |name| format!("table `{table}`: the name `{name}` is longer than the {most} bytes of a name"))
    };
    resources.iter().flat_map(too_long).collect()
}

/// The tables that are missing, where a foreign key needs the table that it refers to: SQLite's does not.
pub(crate) fn missing<D: SchemaDriver>(all: &[Compared]) -> Vec<&'static str> {
    let missing = all.iter().filter(|compared| compared.table.is_none() && D::TABLES.in_table != InTable::Uniques);
    missing.map(|compared| compared.resource.table).collect()
}

/// The statement that adds the foreign key of a column, without what ends it.
fn add_foreign_key<D: SchemaDriver>(resource: &Descriptor, column: &ColumnDescriptor) -> Option<String> {
    let name = identifier::<D>(&ddl::foreign_key_name::<D>(resource, column.column));
    let table = table_identifier::<D>(resource.table);
    let key = foreign_key::wanted(resource, column)?.line::<D>();
    Some(format!("ALTER TABLE {table} ADD CONSTRAINT {name} {key}"))
}

/// The statement that gives the records of an existing table their tenant, where the difference is a part of that: only the
/// reader knows whose they are.
fn remedy<D: SchemaDriver>(resource: &Descriptor, what: &DifferenceKind) -> Option<String> {
    let tenant = resource.tenant?.column;
    let (descriptor, table) = (&resource.columns[tenant], table_identifier::<D>(resource.table));
    match what {
        DifferenceKind::ColumnMissing { column } if *column == descriptor.column => Some(format!(
            "ALTER TABLE {table} ADD COLUMN {} {} NOT NULL DEFAULT …; -- the tenant of the records that are there",
            identifier::<D>(column),
            D::TABLES.declared(resource, descriptor)
        )),
        // A condition or an expression that no index can have needs a column first.
        DifferenceKind::UniqueMissing { columns, .. } if columns.contains(&descriptor.column) => {
            let create = ddl::definition_without_column::<D>(resource, &missing_unique(resource, what)?)?;
            Some(create.create_on::<D>(resource.table) + ";")
        }
        _ => None,
    }
}
