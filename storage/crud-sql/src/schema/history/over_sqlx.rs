//! The records of applied migrations, as sqlx's migrator reads them.

use sqlx::migrate::{Migrate, MigrateError as SqlxError};

use crate::driver::{Connection, Driver};
use crate::model::adapter_error::AdapterError;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::AppliedMigration;

/// The table that sqlx keeps.
const TABLE: &str = "_sqlx_migrations";

/// Applied migrations; none if the table of them is missing.
pub(crate) async fn applied<D>(connection: &mut Connection<D>) -> Result<Vec<AppliedMigration>, MigrateError>
where
    D: Driver<Error = sqlx::Error, Connection: Migrate>,
{
    if D::table(connection, TABLE).await.map_err(D::general)?.is_none() {
        return Ok(Vec::new());
    }
    let interrupted = connection.dirty_version(TABLE).await.map_err(failed::<D>)?;
    let applied = connection.list_applied_migrations(TABLE).await.map_err(failed::<D>)?;
    let applied = applied.into_iter().map(|one| {
        let complete = interrupted != Some(one.version);
        AppliedMigration::new(one.version, one.checksum.into_owned(), complete)
    });
    Ok(applied.collect())
}

fn failed<D: Driver<Error = sqlx::Error>>(error: SqlxError) -> MigrateError {
    match error {
        SqlxError::Execute(source) => D::general(source).into(),
        other => AdapterError::Other(other.into()).into(),
    }
}
