//! Applying written migrations. Each file and the record that it was applied are one transaction, or steps that can be
//! repeated: a process that is killed at any moment leaves none applied twice, and none lost.
//!
//! The records are those of sqlx's migrator, so that its tools read them, in a table of another name: one database may have the
//! migrations of sqlx's own users as well.

pub(crate) mod applied;
pub(crate) mod data;
mod duplicates;
pub(crate) mod migration_items;
mod name;
mod patience;
mod record;
mod run;
mod steps;
pub(crate) mod way;

use std::ops::Range;
use std::time::Instant;

use self::applied::applied;
use self::patience::Patience;
use self::run::{failed, interrupted, lock, number, run};
use self::way::Way;
use crate::driver::{Connection, first_number};
use crate::identifier::{identifier, table_identifier};
use crate::schema::migration_driver::MigrationDriver;
use crate::statement::Statement;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{AppliedMigration, Direction, MigrationFile};

/// Applies the migrations that the database lacks, up to the first that the program itself runs.
pub(crate) async fn apply<D: MigrationDriver>(
    connection: &mut Connection<D>,
    migrations: &[MigrationFile],
) -> Result<(), MigrateError> {
    lock::<D>(connection).await?;
    let versions: Vec<i64> = migrations.iter().map(|file| file.version).collect();
    name::adopt::<D>(connection, &versions).await?;
    run::<D>(connection, D::CREATE_HISTORY.to_owned()).await?;
    let applied = applied::<D>(connection, &[]).await?;
    // A file that is refused is reported before the first one is applied.
    let mut pending = Vec::new();
    for file in pending_files(migrations, &applied)? {
        let is_data = file.data_migration.is_some();
        pending.push((file, if is_data { None } else { Some(Way::of::<D>(file)?) }));
    }
    for (file, way) in pending {
        let Some(way) = way else { return Ok(()) };
        let begun = applied.iter().any(|one| one.version == file.version);
        let migrated = migrate::<D>(connection, file, way, Direction::Up, begun).await;
        explained::<D>(connection, file, migrated).await?;
    }
    Ok(())
}

/// Reverts an applied migration by the statements of its `….down.sql`.
pub(crate) async fn revert<D: MigrationDriver>(
    connection: &mut Connection<D>,
    down: &MigrationFile,
) -> Result<(), MigrateError> {
    lock::<D>(connection).await?;
    name::adopt::<D>(connection, &[down.version]).await?;
    let applied = applied::<D>(connection, &[]).await?;
    // Another process may have reverted it while this one waited.
    let Some(one) = applied.iter().find(|one| one.version == down.version) else { return Ok(()) };
    let reverted = migrate::<D>(connection, down, Way::of::<D>(down)?, Direction::Down, !one.complete).await;
    explained::<D>(connection, down, reverted).await
}

/// Adds what the database's message leaves out to the error of a file.
async fn explained<D: MigrationDriver>(
    connection: &mut Connection<D>,
    file: &MigrationFile,
    migrated: Result<(), MigrateError>,
) -> Result<(), MigrateError> {
    let Err(error) = migrated else { return Ok(()) };
    let error = duplicates::named::<D>(connection, file, error).await;
    let MigrateError::Failed { name, reason } = error else { return Err(error) };
    // A question that fails leaves the message as it is.
    let further = D::further_reason(connection, &reason).await.ok().flatten();
    let reason = further.map_or_else(|| reason.clone(), |further| format!("{reason}. {further}"));
    Err(MigrateError::Failed { name, reason })
}

/// The files that are not applied as a whole.
fn pending_files<'a>(
    migrations: &'a [MigrationFile],
    applied: &[AppliedMigration],
) -> Result<Vec<&'a MigrationFile>, MigrateError> {
    let mut pending: Vec<&MigrationFile> = migrations.iter().collect();
    for one in applied {
        let version = one.version.to_string();
        let Some(file) = migrations.iter().find(|file| file.version == one.version) else {
            return Err(MigrateError::Ahead(vec![version]));
        };
        match (one.complete, file.checksum == one.checksum) {
            (true, true) => pending.retain(|file| file.version != one.version),
            (true, false) => return Err(MigrateError::Changed(vec![version])),
            (false, true) => {}
            // Its statements that ran are unknown.
            (false, false) => return Err(MigrateError::Interrupted(version)),
        }
    }
    // Another process may have applied a newer file since the caller compared.
    let newest = applied.iter().map(|one| one.version).max().unwrap_or(i64::MIN);
    let is_new = |file: &&&MigrationFile| !applied.iter().any(|one| one.version == file.version);
    if let Some(file) = pending.iter().find(|file| is_new(file) && file.version < newest) {
        return Err(MigrateError::OutOfOrder { name: file.version.to_string(), newest: newest.to_string() });
    }
    Ok(pending)
}

/// Runs a file and records it. `begun`: whether it is recorded as begun.
async fn migrate<D: MigrationDriver>(
    connection: &mut Connection<D>,
    file: &MigrationFile,
    way: Way,
    direction: Direction,
    begun: bool,
) -> Result<(), MigrateError> {
    let (set, reset) = D::PRAGMAS;
    match way {
        // Another program began it, in no transaction.
        Way::Whole(_) | Way::Rebuild(_) if begun => Err(interrupted(file)),
        Way::Whole(place) => whole::<D>(connection, file, place, direction).await,
        Way::Rebuild(place) => {
            run::<D>(connection, set.to_owned()).await?;
            let migrated = whole::<D>(connection, file, place, direction).await;
            let restored = run::<D>(connection, reset.to_owned()).await;
            migrated.and(restored)
        }
        Way::Steps(steps) => {
            let recorded = if begun { number::<D>(connection, "SELECT execution_time", file).await? } else { None };
            let progress = recorded.and_then(|number| record::progress(direction, number));
            if begun && progress.is_none() {
                return Err(interrupted(file));
            }
            steps::run_steps::<D>(connection, file, &steps, direction, progress).await
        }
    }
}

/// Runs a part of a file in one transaction with its record; again, where another transaction locks a table.
async fn whole<D: MigrationDriver>(
    connection: &mut Connection<D>,
    file: &MigrationFile,
    place: Range<usize>,
    direction: Direction,
) -> Result<(), MigrateError> {
    let mut patience = Patience::new();
    loop {
        D::begin(connection, D::BEGIN).await.map_err(D::general)?;
        let error = match within::<D>(connection, file, place.clone(), direction).await {
            Ok(Ok(())) => return D::commit(connection).await.map_err(|error| failed(file, &D::message(&error))),
            Ok(Err(error)) => Ok(error),
            Err(error) => Err(error),
        };
        // The error says more than that of a rollback.
        drop(D::rollback(connection).await);
        let error = error?;
        if !(D::is_locked(&error) && patience.wait(file.version).await) {
            return Err(failed(file, &D::message(&error)));
        }
    }
}

/// Runs a part of a file and records it; the inner error is that of its statements.
async fn within<D: MigrationDriver>(
    connection: &mut Connection<D>,
    file: &MigrationFile,
    place: Range<usize>,
    direction: Direction,
) -> Result<Result<(), D::Error>, MigrateError> {
    let start = Instant::now();
    // Without a lock on the history, another process may have applied the file before this transaction began.
    let is_recorded = number::<D>(connection, "SELECT version", file).await?.is_some();
    if is_recorded == (direction == Direction::Up) {
        return Ok(Ok(()));
    }
    let ran = D::script(connection, file.sql[place].to_owned()).await;
    if ran.is_ok() {
        run::<D>(connection, record::whole::<D>(direction, file, start)).await?;
    }
    Ok(ran)
}

/// Number of the records of a table, or of those with a value of a column; `None` for a table or column that is missing.
pub(crate) async fn records<D: MigrationDriver>(
    connection: &mut Connection<D>,
    table: &str,
    column: Option<&str>,
) -> Result<Option<u64>, MigrateError> {
    let Some(present) = D::table(connection, table).await.map_err(D::general)? else { return Ok(None) };
    if column.is_some_and(|name| present.column::<D>(name).is_none()) {
        return Ok(None);
    }
    let counted = column.map_or_else(|| "*".to_owned(), identifier::<D>);
    let text = format!("SELECT COUNT({counted}) FROM {}", table_identifier::<D>(table));
    let number = first_number::<D>(connection, Statement::assembled(text)).await.map_err(D::general)?;
    Ok(number.and_then(|number| u64::try_from(number).ok()))
}
