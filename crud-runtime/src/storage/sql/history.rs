//! Applying written migrations by sqlx's migrator, which keeps the table `_sqlx_migrations`.

use sqlx::migrate::{Migrate, MigrateError as SqlxError, Migration, Migrator};

use super::definition::Definition;
use super::driver::Connection;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::Applied;

/// The table that sqlx keeps.
const TABLE: &str = "_sqlx_migrations";

/// The migrations that the database has. Where it has none, the table is not created for that.
pub(super) async fn applied<D>(connection: &mut Connection<D>) -> Result<Vec<Applied>, MigrateError>
where
    D: Definition,
    Connection<D>: Migrate,
{
    if D::table(connection, TABLE).await.map_err(D::general)?.is_none() {
        return Ok(Vec::new());
    }
    let interrupted = connection.dirty_version(TABLE).await.map_err(failed::<D>)?;
    let applied = connection.list_applied_migrations(TABLE).await.map_err(failed::<D>)?;
    let applied = applied.into_iter().map(|one| Applied {
        version: one.version,
        checksum: one.checksum.into_owned(),
        whole: interrupted != Some(one.version),
    });
    Ok(applied.collect())
}

/// Applies what the database lacks.
pub(super) async fn apply<D>(connection: &mut Connection<D>, migrator: &Migrator) -> Result<(), MigrateError>
where
    D: Definition,
    Connection<D>: Migrate,
{
    migrator.run_direct(None, connection, false).await.map_err(failed::<D>)
}

/// Takes back a migration that the database has, by its statements for that.
pub(super) async fn revert<D>(connection: &mut Connection<D>, down: &Migration) -> Result<(), MigrateError>
where
    D: Definition,
    Connection<D>: Migrate,
{
    connection.lock().await.map_err(failed::<D>)?;
    // Another process may have done it while this one waited.
    if applied::<D>(connection).await?.iter().any(|one| one.version == down.version) {
        connection.revert(TABLE, down).await.map_err(failed::<D>)?;
    }
    connection.unlock().await.map_err(failed::<D>)
}

fn failed<D: Definition>(error: SqlxError) -> MigrateError {
    match error {
        SqlxError::ExecuteMigration(source, version) => {
            let reason =
                source.as_database_error().map_or_else(|| source.to_string(), |error| error.message().to_owned());
            MigrateError::Failed { name: version.to_string(), reason }
        }
        SqlxError::Dirty(version) => MigrateError::Interrupted(version.to_string()),
        SqlxError::VersionMissing(version) => MigrateError::Ahead(vec![version.to_string()]),
        SqlxError::VersionMismatch(version) => MigrateError::Changed(vec![version.to_string()]),
        SqlxError::Execute(source) => D::general(source).into(),
        other => crate::model::adapter_error::AdapterError::Other(other.into()).into(),
    }
}
