//! Creating what is missing, and refusing what contradicts the resources.

use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection, Executor, Row};

use super::compare::{self, differences};
use super::connections::Connections;
use super::error::general;
use super::inspect::{self, Table};
use super::{ddl, write::BEGIN};
use crate::adapter::MigrateError;
use crate::adapter::sql::schema::{Index, indexes, names, unique_indexes, uniques};
use crate::adapter::sql::statement::Text;
use crate::descriptor::Descriptor;

/// See [`Adapter::migrate`](crate::adapter::Adapter::migrate).
pub(super) async fn migrate(connections: &Connections, resources: &[&'static Descriptor]) -> Result<(), MigrateError> {
    let mut writer = connections.writer().await?;
    let migrated = migrate_by(&mut writer, resources).await;
    writer.settle_if(migrated.is_ok());
    migrated
}

/// See [`Adapter::plan`](crate::adapter::Adapter::plan).
pub(super) async fn planned(
    connections: &Connections,
    resources: &[&'static Descriptor],
) -> Result<Vec<String>, MigrateError> {
    let mut reader = connections.reader().await?;
    let unfit = unfit(&mut reader).await.map_err(general)?;
    let planned = plan(&mut reader, resources, unfit).await;
    reader.settle_if(planned.is_ok());
    planned
}

async fn migrate_by(connection: &mut SqliteConnection, resources: &[&'static Descriptor]) -> Result<(), MigrateError> {
    let unfit = unfit(connection).await.map_err(general)?;
    // Where nothing is missing, nothing is locked: a file that can only be read will do.
    if plan(connection, resources, unfit).await?.is_empty() {
        return Ok(());
    }
    let mut transaction = connection.begin_with(BEGIN).await.map_err(general)?;
    // Another process may have been here since.
    for statement in plan(&mut transaction, resources, Vec::new()).await? {
        transaction.execute(Text::Assembled(statement)).await.map_err(general)?;
    }
    transaction.commit().await.map_err(general)?;
    Ok(())
}

/// What about the database itself does not fit.
async fn unfit(connection: &mut SqliteConnection) -> sqlx::Result<Vec<String>> {
    let mut lines = Vec::new();
    let checked: i64 = sqlx::query("PRAGMA foreign_keys").fetch_one(&mut *connection).await?.try_get(0)?;
    if checked != 1 {
        lines.push("connection: `foreign_keys` is off, must be on in every connection of the pool".to_owned());
    }
    let encoding: String = sqlx::query("PRAGMA encoding").fetch_one(connection).await?.try_get(0)?;
    if encoding != "UTF-8" {
        lines.push(format!("database: its encoding is {encoding}, must be UTF-8"));
    }
    Ok(lines)
}

/// The statements that create what is missing.
async fn plan(
    connection: &mut SqliteConnection,
    resources: &[&'static Descriptor],
    mut lines: Vec<String>,
) -> Result<Vec<String>, MigrateError> {
    let mut statements = Vec::new();
    for resource in resources {
        match inspect::table(connection, resource.table).await.map_err(general)? {
            Some(table) => {
                let uniques = uniques(resource);
                lines.extend(differences(resource, &uniques, &table));
                let missing = missing_indexes(resource, &table);
                for index in &missing {
                    let name = index.name(resource);
                    if inspect::index_exists(connection, &name).await.map_err(general)? {
                        let columns = names(index.columns.iter().map(|column| &resource.columns[*column]));
                        lines.push(format!("index `{name}`: is there, must be on `{}` ({columns})", resource.table));
                    }
                }
                statements.extend(missing.iter().map(|index| ddl::create_index(resource, index)));
            }
            None => statements.extend(create(resource)),
        }
        lines.extend(dangling(connection, resource, resources).await.map_err(general)?);
    }
    if lines.is_empty() { Ok(statements) } else { Err(MigrateError::Mismatch(lines)) }
}

/// The statements that create a resource's table.
fn create(resource: &'static Descriptor) -> Vec<String> {
    let uniques = uniques(resource);
    let key_implied = ddl::column_type(resource.id_column().kind) == "INTEGER";
    let mut statements = vec![ddl::create_table(resource, &uniques)];
    let partial = uniques.iter().filter(|unique| unique.active.is_some());
    statements.extend(partial.map(|unique| ddl::create_unique_index(resource, unique)));
    let indexes = indexes(resource, key_implied, &unique_indexes(&uniques));
    statements.extend(indexes.iter().map(|index| ddl::create_index(resource, index)));
    statements
}

fn missing_indexes(resource: &Descriptor, table: &Table) -> Vec<Index> {
    indexes(resource, compare::key_is_row_number(resource, table), &compare::present(resource, table))
}

/// References to tables that neither are there nor will be.
async fn dangling(
    connection: &mut SqliteConnection,
    resource: &Descriptor,
    resources: &[&'static Descriptor],
) -> sqlx::Result<Vec<String>> {
    let mut lines = Vec::new();
    for column in resource.columns {
        let Some(reference) = &column.references else { continue };
        let target = (reference.target)().table;
        let known = resources.iter().any(|other| other.table == target);
        if !known && inspect::kind(connection, target).await?.is_none() {
            let (table, column) = (resource.table, column.column);
            lines.push(format!("table `{table}`, column `{column}`: refers to table `{target}`, which is missing"));
        }
    }
    Ok(lines)
}
