//! The tables of a SQLite database: what does not fit, and what is missing.

use super::argument::Argument;
use super::catalogue::rows::cells;
use super::dialect::Sqlite;
use super::samples::misspelt;
use crate::driver::Connection;
use crate::model::descriptor::Descriptor;
use crate::schema::driver::SchemaDriver;
use crate::schema::plan::plan;
use crate::schema::view;
use crate::scope::Scope;
use crate::statement::{Statement, Text};
use crate::storage::migrate_error::MigrateError;

/// See [`SchemaDriver::create`].
pub(super) async fn create<D: SchemaDriver<Argument = Argument>>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<(), MigrateError> {
    let mut transaction = Scope::<D>::begin(connection, D::BEGIN).await.map_err(D::general)?;
    // Another process may have created it since.
    for statement in plan::<D>(&mut transaction, resources, Vec::new()).await?.statements {
        let text = Text::Assembled(statement.clone());
        let created = D::all(&mut transaction, Statement { text, arguments: Vec::new(), then: None }).await;
        created.map_err(|error| view::failure::<Sqlite>(&statement, resources, D::general(error)))?;
    }
    view::check_created::<D>(&mut transaction, resources).await?;
    transaction.commit().await.map_err(D::general)?;
    Ok(())
}

/// Unsupported conditions: foreign keys that are off, the encoding, and values in a spelling that fields do not have.
pub(super) async fn unfit<D: SchemaDriver<Argument = Argument>>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<String>, D::Error> {
    let mut lines = Vec::new();
    let checked = cells::<D, _>(connection, "PRAGMA foreign_keys", None, |row| row.number(0)).await?;
    if checked != [1] {
        lines.push("connection: `foreign_keys` is off, must be on in every connection of the pool".to_owned());
    }
    let encoding = cells::<D, _>(connection, "PRAGMA encoding", None, |row| row.text(0)).await?;
    if encoding != ["UTF-8"] {
        lines.push(format!("database: its encoding is {}, must be UTF-8", encoding.concat()));
    }
    lines.extend(misspelt::<D>(connection, resources).await?);
    Ok(lines)
}
