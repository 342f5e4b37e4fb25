//! Written migrations, recorded as sqlx's migrator does, so that `sqlx migrate` works on the same database.

use super::SqliteAdapter;
use super::connection::Connection;
use super::error::{Error, details, general};
use super::open::Open;
use crate::model::descriptor::Descriptor;
use crate::storage::future::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{AppliedMigration, MigrationFile, Migrations, Script, Step};
use crate::storage::schema::Difference;
use crate::storage::sql::connections::Connections;
use crate::storage::sql::schema::{baseline, script};
use crate::storage::sql::sqlite::argument::Argument;
use crate::storage::sql::sqlite::dialect::Sqlite;
use crate::storage::sql::sqlite::spelling::{BEGIN, RESET_PRAGMAS};

/// The table of applied migrations, as sqlx creates it.
const CREATE: &str = "CREATE TABLE IF NOT EXISTS _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
)";

impl Migrations for SqliteAdapter {
    fn diff<'a>(
        &'a self,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<Vec<Difference>, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            Ok(script::differences::<Sqlite>(&mut reader, resources).await.map_err(general)?)
        })
    }

    fn script<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Script, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            Ok(script::script::<Sqlite>(&mut reader, resources).await.map_err(general)?)
        })
    }

    fn present<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<Step>, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            Ok(baseline::present::<Sqlite>(&mut reader, resources).await.map_err(general)?)
        })
    }

    fn applied(&self) -> BoxFuture<'_, Result<Vec<AppliedMigration>, MigrateError>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            Ok(reader.work(applied).await.map_err(general)?)
        })
    }

    fn apply<'a>(&'a self, migrations: &'a [MigrationFile]) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let migrations = migrations.to_vec();
            run(*self.writer().await?, move |open| apply(open, &migrations)).await
        })
    }

    fn revert<'a>(&'a self, down: &'a MigrationFile) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let down = down.clone();
            run(*self.writer().await?, move |open| revert(open, &down)).await
        })
    }
}

/// Works on the connection to write, and returns it as it was: a script that fails stops in its own transaction.
async fn run(
    mut writer: Connection,
    work: impl FnOnce(&mut Open) -> Result<(), MigrateError> + Send + 'static,
) -> Result<(), MigrateError> {
    let (result, restored) = writer
        .work(move |open| {
            open.pause_tally();
            let result = work(open);
            open.reset();
            Ok((result, open.script(RESET_PRAGMAS)))
        })
        .await
        .map_err(general)?;
    result.and(restored.map_err(|error| general(error).into()))
}

/// The applied migrations, in order.
fn applied(open: &mut Open) -> Result<Vec<AppliedMigration>, Error> {
    const TABLE: &str = "SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations' AND type = 'table'";
    const APPLIED: &str = "SELECT version, checksum, success FROM _sqlx_migrations ORDER BY version";
    let mut all = Vec::new();
    if open.all(TABLE, &[])?.is_empty() {
        return Ok(all);
    }
    open.run(APPLIED, &[], |row, _| {
        all.push(AppliedMigration::new(row.get(0)?, row.get(1)?, row.get(2)?));
        Ok::<(), Error>(())
    })?;
    Ok(all)
}

/// Applies the migrations that the database lacks.
fn apply(open: &mut Open, migrations: &[MigrationFile]) -> Result<(), MigrateError> {
    open.all(CREATE, &[]).map_err(general)?;
    let applied = applied(open).map_err(general)?;
    if let Some(interrupted) = applied.iter().find(|one| !one.complete) {
        return Err(MigrateError::Interrupted(interrupted.version.to_string()));
    }
    let file = |version: i64| migrations.iter().find(|file| file.version == version);
    if let Some(missing) = applied.iter().find(|one| file(one.version).is_none()) {
        return Err(MigrateError::Ahead(vec![missing.version.to_string()]));
    }
    for file in migrations {
        match applied.iter().find(|one| one.version == file.version) {
            Some(one) if one.checksum != file.checksum => {
                return Err(MigrateError::Changed(vec![file.version.to_string()]));
            }
            Some(_) => {}
            None => apply_one(open, file)?,
        }
    }
    Ok(())
}

fn apply_one(open: &mut Open, file: &MigrationFile) -> Result<(), MigrateError> {
    const INSERT: &str = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                          VALUES (?1, ?2, TRUE, ?3, ?4)";
    let start = std::time::Instant::now();
    in_transaction(open, file, |open| {
        open.script(&file.sql).map_err(|error| failed(file, &error))?;
        let nanoseconds = i64::try_from(start.elapsed().as_nanos()).unwrap_or(i64::MAX);
        let values = [
            Argument::Integer(file.version),
            Argument::Text(file.description.clone()),
            Argument::Blob(file.checksum.clone()),
            Argument::Integer(nanoseconds),
        ];
        open.all(INSERT, &values).map(drop).map_err(|error| general(error).into())
    })
}

/// Reverts an applied migration by the statements of its `….down.sql`.
fn revert(open: &mut Open, down: &MigrationFile) -> Result<(), MigrateError> {
    const DELETE: &str = "DELETE FROM _sqlx_migrations WHERE version = ?1";
    // Another process may have reverted it while this one waited.
    if applied(open).map_err(general)?.iter().all(|one| one.version != down.version) {
        return Ok(());
    }
    in_transaction(open, down, |open| {
        open.script(&down.sql).map_err(|error| failed(down, &error))?;
        open.all(DELETE, &[Argument::Integer(down.version)]).map(drop).map_err(|error| general(error).into())
    })
}

/// Runs the statements of a file and what records it in one transaction, unless the file says otherwise.
fn in_transaction(
    open: &mut Open,
    file: &MigrationFile,
    work: impl FnOnce(&mut Open) -> Result<(), MigrateError>,
) -> Result<(), MigrateError> {
    if !file.in_transaction {
        return work(open);
    }
    open.begin(BEGIN).map_err(general)?;
    work(open)?;
    open.commit().map_err(|error| general(error).into())
}

fn failed(file: &MigrationFile, error: &Error) -> MigrateError {
    let reason = details(error).map_or_else(|| error.to_string(), |details| details.message.to_owned());
    MigrateError::Failed { name: file.version.to_string(), reason }
}
