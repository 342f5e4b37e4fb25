//! Name of the table of applied migrations: sqlx's own users share the one that it had before.

use super::run;
use crate::driver::{Connection, Driver, first_number};
use crate::statement::Statement;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{HISTORY_TABLE, SQLX_HISTORY_TABLE};

/// The table that records migrations of these versions, if there is one.
pub(crate) async fn present<D: Driver>(
    connection: &mut Connection<D>,
    versions: &[i64],
) -> Result<Option<&'static str>, MigrateError> {
    if D::table(connection, HISTORY_TABLE).await.map_err(D::general)?.is_some() {
        return Ok(Some(HISTORY_TABLE));
    }
    if versions.is_empty() || D::table(connection, SQLX_HISTORY_TABLE).await.map_err(D::general)?.is_none() {
        return Ok(None);
    }
    // Versions are times to the second: that of another program's file is another one.
    let list: Vec<String> = versions.iter().map(i64::to_string).collect();
    let text = format!("SELECT COUNT(*) FROM {SQLX_HISTORY_TABLE} WHERE version IN ({})", list.join(", "));
    let recorded = first_number::<D>(connection, Statement::assembled(text)).await.map_err(D::general)?;
    Ok(recorded.filter(|recorded| *recorded > 0).map(|_| SQLX_HISTORY_TABLE))
}

/// Gives the table of these versions its name, where it has the former one.
pub(super) async fn adopt<D: Driver>(connection: &mut Connection<D>, versions: &[i64]) -> Result<(), MigrateError> {
    if present::<D>(connection, versions).await? == Some(SQLX_HISTORY_TABLE) {
        run::<D>(connection, format!("ALTER TABLE {SQLX_HISTORY_TABLE} RENAME TO {HISTORY_TABLE}")).await?;
    }
    Ok(())
}
