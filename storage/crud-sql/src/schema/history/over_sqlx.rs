//! The records of applied migrations, as sqlx's migrator reads them.

use sqlx::migrate::{Migrate, MigrateError as SqlxError};

use super::name;
use crate::driver::Connection;
use crate::model::adapter_error::AdapterError;
use crate::schema::driver::SchemaDriver;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::AppliedMigration;

/// Applied migrations; none if the table of them is missing. `versions`: those of the files.
pub(crate) async fn applied<D>(
    connection: &mut Connection<D>,
    versions: &[i64],
) -> Result<Vec<AppliedMigration>, MigrateError>
where
    D: SchemaDriver<Error = sqlx::Error, Connection: Migrate>,
{
    let Some(table) = name::present::<D>(connection, versions).await? else { return Ok(Vec::new()) };
    let interrupted = connection.dirty_version(table).await.map_err(failed::<D>)?;
    let applied = connection.list_applied_migrations(table).await.map_err(failed::<D>)?;
    let applied = applied.into_iter().map(|one| {
        let complete = interrupted != Some(one.version);
        AppliedMigration::new(one.version, one.checksum.into_owned(), complete)
    });
    Ok(applied.collect())
}

fn failed<D: SchemaDriver<Error = sqlx::Error>>(error: SqlxError) -> MigrateError {
    match error {
        SqlxError::Execute(source) => D::general(source).into(),
        other => AdapterError::Other(other.into()).into(),
    }
}
