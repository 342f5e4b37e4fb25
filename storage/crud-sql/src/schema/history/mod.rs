//! Applying written migrations. Each file and the record that it was applied are one transaction, or steps that can be
//! repeated: a process that is killed at any moment leaves none applied twice, and none lost.
//!
//! The records are those of sqlx's migrator, so that its tools read them, in a table of another name: one database may have the
//! migrations of sqlx's own users as well.

mod applied;
mod data;
mod duplicates;
pub(crate) mod migration_items;
mod name;
mod patience;
mod record;
mod run;
mod steps;
pub(crate) mod way;

use std::time::Instant;

use self::patience::Patience;
use self::run::{failed, interrupted};
use self::way::Way;
use crate::driver::{Connection, first_number};
use crate::identifier::{identifier, table_identifier};
use crate::schema::migration_driver::MigrationDriver;
use crate::statement::Statement;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{AppliedMigration, Direction, MigrationFile};

/// The history of migrations, on a connection to its database.
pub(crate) struct History<'c, D: MigrationDriver>(pub(crate) &'c mut Connection<D>);

impl<D: MigrationDriver> History<'_, D> {
    /// Applies the migrations that the database lacks, up to the first that the program itself runs.
    pub(crate) async fn apply(&mut self, migrations: &[MigrationFile]) -> Result<(), MigrateError> {
        let versions: Vec<i64> = migrations.iter().map(|file| file.version).collect();
        self.open(&versions).await?;
        self.run(D::CREATE_HISTORY.to_owned()).await?;
        let applied = self.applied(&[]).await?;
        let pending = pending_files(migrations, &applied)?;
        let is_statements = |file: &&MigrationFile| file.data_migration.is_none();
        // A file that is refused is reported before the first one is applied.
        pending.iter().copied().filter(is_statements).try_for_each(|file| Way::of::<D>(file).map(drop))?;
        for file in pending.into_iter().take_while(is_statements) {
            let begun = applied.iter().any(|one| one.version == file.version);
            let migrated = self.migrate(file, Direction::Up, begun).await;
            self.explained(file, migrated).await?;
        }
        Ok(())
    }

    /// Reverts an applied migration by the statements of its `….down.sql`.
    pub(crate) async fn revert(&mut self, down: &MigrationFile) -> Result<(), MigrateError> {
        self.open(&[down.version]).await?;
        let applied = self.applied(&[]).await?;
        // Another process may have reverted it while this one waited.
        let Some(one) = applied.iter().find(|one| one.version == down.version) else { return Ok(()) };
        Way::of::<D>(down)?;
        let reverted = self.migrate(down, Direction::Down, !one.complete).await;
        self.explained(down, reverted).await
    }

    /// Adds what the database's message leaves out to the error of a file.
    async fn explained(
        &mut self,
        file: &MigrationFile,
        migrated: Result<(), MigrateError>,
    ) -> Result<(), MigrateError> {
        let Err(MigrateError::Failed { name, mut reason }) = migrated else { return migrated };
        self.add_duplicates(file, &mut reason).await;
        // A question that fails leaves the message as it is.
        if let Ok(Some(further)) = D::further_reason(self.0, &reason).await {
            reason = format!("{reason}. {further}");
        }
        Err(MigrateError::Failed { name, reason })
    }

    /// Runs a file and records it. `begun`: whether it is recorded as begun.
    async fn migrate(&mut self, file: &MigrationFile, direction: Direction, begun: bool) -> Result<(), MigrateError> {
        let (set, reset) = D::PRAGMAS;
        match Way::of::<D>(file)? {
            // Another program began it, in no transaction.
            Way::Whole(_) | Way::Rebuild(_) if begun => Err(interrupted(file)),
            Way::Whole(place) => self.whole(file, &file.sql[place], direction).await,
            Way::Rebuild(place) => {
                self.run(set.to_owned()).await?;
                let migrated = self.whole(file, &file.sql[place], direction).await;
                let restored = self.run(reset.to_owned()).await;
                migrated.and(restored)
            }
            Way::Steps(steps) => {
                let recorded = if begun { self.number("SELECT execution_time", file).await? } else { None };
                let progress = recorded.and_then(|number| record::progress(direction, number));
                if begun && progress.is_none() {
                    return Err(interrupted(file));
                }
                self.run_steps(file, &steps, direction, progress).await
            }
        }
    }

    /// Runs a part of a file in one transaction with its record; again, where another transaction locks a table.
    async fn whole(&mut self, file: &MigrationFile, sql: &str, direction: Direction) -> Result<(), MigrateError> {
        let mut patience = Patience::new();
        loop {
            self.begin().await?;
            let error = match self.within(file, sql, direction).await {
                Ok(Ok(())) => return D::commit(self.0).await.map_err(|error| failed(file, &D::message(&error))),
                Ok(Err(error)) => Ok(error),
                Err(error) => Err(error),
            };
            // The error says more than that of a rollback.
            drop(D::rollback(self.0).await);
            let error = error?;
            if !((D::IS_LOCKED)(&error) && patience.wait(file.version).await) {
                return Err(failed(file, &D::message(&error)));
            }
        }
    }

    /// Runs a part of a file and records it; the inner error is that of its statements.
    async fn within(
        &mut self,
        file: &MigrationFile,
        sql: &str,
        direction: Direction,
    ) -> Result<Result<(), D::Error>, MigrateError> {
        let start = Instant::now();
        // Without a lock on the history, another process may have applied the file before this transaction began.
        let is_recorded = self.number("SELECT version", file).await?.is_some();
        if is_recorded == (direction == Direction::Up) {
            return Ok(Ok(()));
        }
        let ran = D::script(self.0, sql.to_owned()).await;
        if ran.is_ok() {
            self.run(record::ended::<D>(direction, file, start, false)).await?;
        }
        Ok(ran)
    }

    /// Number of the records of a table, or of those with a value of a column; `None` for a table or column that is missing.
    pub(crate) async fn records(&mut self, table: &str, column: Option<&str>) -> Result<Option<u64>, MigrateError> {
        let Some(present) = D::table(self.0, table).await.map_err(D::general)? else { return Ok(None) };
        if column.is_some_and(|name| present.column::<D>(name).is_none()) {
            return Ok(None);
        }
        let counted = column.map_or_else(|| "*".to_owned(), identifier::<D>);
        let text = format!("SELECT COUNT({counted}) FROM {}", table_identifier::<D>(table));
        let number = first_number::<D>(self.0, Statement::assembled(text)).await.map_err(D::general)?;
        Ok(number.and_then(|number| u64::try_from(number).ok()))
    }
}

/// The files that are not applied as a whole.
fn pending_files<'a>(
    migrations: &'a [MigrationFile],
    applied: &[AppliedMigration],
) -> Result<Vec<&'a MigrationFile>, MigrateError> {
    let mut pending: Vec<&MigrationFile> = migrations.iter().collect();
    for one in applied {
        let Some(file) = migrations.iter().find(|file| file.version == one.version) else {
            return Err(MigrateError::Ahead(vec![one.version.to_string()]));
        };
        match (one.complete, file.checksum == one.checksum) {
            (true, true) => pending.retain(|file| file.version != one.version),
            (true, false) => return Err(MigrateError::Changed(vec![file.name.clone()])),
            (false, true) => {}
            // Its statements that ran are unknown.
            (false, false) => return Err(interrupted(file)),
        }
    }
    // Another process may have applied a newer file since the caller compared.
    let is_new = |file: &&&MigrationFile| !applied.iter().any(|one| one.version == file.version);
    pending.iter().filter(is_new).try_for_each(|file| check_order(file, migrations, applied))?;
    Ok(pending)
}

/// Checks that no newer file is applied, which may be among these.
fn check_order(file: &MigrationFile, all: &[MigrationFile], applied: &[AppliedMigration]) -> Result<(), MigrateError> {
    let newest = applied.iter().map(|one| one.version).max().filter(|newest| *newest > file.version);
    let Some(newest) = newest else { return Ok(()) };
    let known = all.iter().find(|other| other.version == newest);
    let newest = known.map_or_else(|| newest.to_string(), |other| other.name.clone());
    Err(MigrateError::OutOfOrder { name: file.name.clone(), newest })
}
