//! Applying written migrations by sqlx's migrator, which keeps the table `_sqlx_migrations`.

use sqlx::migrate::{Migrate, MigrateError as SqlxError, Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, SqlSafeStr};

use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{AppliedMigration, MigrationFile};
use crate::storage::sql::driver::{Connection, Driver};

/// The table that sqlx keeps.
const TABLE: &str = "_sqlx_migrations";

/// The applied migrations. The table is not created where there is none.
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

/// Applies the migrations that the database lacks.
pub(crate) async fn apply<D>(connection: &mut Connection<D>, migrations: &[MigrationFile]) -> Result<(), MigrateError>
where
    D: Driver<Error = sqlx::Error, Connection: Migrate>,
{
    let migrations = migrations.iter().map(|file| migration(file, MigrationType::ReversibleUp)).collect();
    Migrator::with_migrations(migrations).run_direct(None, connection, false).await.map_err(failed::<D>)
}

/// Reverts an applied migration by the statements of its `….down.sql`.
pub(crate) async fn revert<D>(connection: &mut Connection<D>, down: &MigrationFile) -> Result<(), MigrateError>
where
    D: Driver<Error = sqlx::Error, Connection: Migrate>,
{
    let down = migration(down, MigrationType::ReversibleDown);
    connection.lock().await.map_err(failed::<D>)?;
    // Another process may have reverted it while this one waited.
    if applied::<D>(connection).await?.iter().any(|one| one.version == down.version) {
        connection.revert(TABLE, &down).await.map_err(failed::<D>)?;
    }
    connection.unlock().await.map_err(failed::<D>)
}

/// A file as sqlx's migrator takes it.
fn migration(file: &MigrationFile, migration_type: MigrationType) -> Migration {
    Migration {
        version: file.version,
        description: file.description.clone().into(),
        migration_type,
        sql: AssertSqlSafe(file.sql.clone()).into_sql_str(),
        checksum: file.checksum.clone().into(),
        no_tx: !file.in_transaction,
    }
}

fn failed<D: Driver<Error = sqlx::Error>>(error: SqlxError) -> MigrateError {
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
