//! Files that are applied statement by statement.

use std::ops::Range;
use std::time::Instant;

use super::History;
use super::patience::Patience;
use super::record::{self, Progress};
use super::run::failed;
use super::way::first_word;
use crate::TARGET;
use crate::schema::migration_driver::MigrationDriver;
use crate::statements::statements;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{Direction, IF_NOT_EXISTS, MigrationFile};

impl<D: MigrationDriver> History<'_, D> {
    /// Runs the statements after those that have run, and records each before and after. One that changes records is in a
    /// transaction with its record; one that changes tables commits by itself, so that after a kill it is in doubt: its
    /// repetition finds that it is done.
    pub(super) async fn run_steps(
        &mut self,
        file: &MigrationFile,
        steps: &[Range<usize>],
        direction: Direction,
        begun: Option<Progress>,
    ) -> Result<(), MigrateError> {
        let start = Instant::now();
        if begun.is_none() {
            self.run(record::begun::<D>(direction, file)).await?;
        }
        let begun = begun.unwrap_or(Progress::of(0));
        let mut patience = Patience::new();
        for (index, place) in steps.iter().enumerate().skip(begun.done) {
            let statement = &file.sql[place.clone()];
            let is_repeated = begun.in_doubt && index == begun.done;
            // A start that was killed leaves an index that is not valid, too.
            D::prepare_repetition(self.0, statement).await.map_err(D::general)?;
            let numbers = |done, in_doubt| record::reached(direction, file, Progress { done, in_doubt });
            let records = [numbers(index, true), numbers(index + 1, false)];
            while let Err(error) = self.run_step(statement, is_repeated, &records).await? {
                let is_locked = (D::IS_LOCKED)(&error);
                // A lock says nothing about whether it was done before.
                let record = numbers(index, is_repeated && is_locked);
                self.undo(file, statement, &error, record).await;
                if !(is_locked && patience.wait(file.version).await) {
                    return Err(failed(file, &D::message(&error)));
                }
            }
        }
        self.run(record::ended::<D>(direction, file, start, true)).await
    }

    /// Runs a statement with the records before and after it; the inner error is the statement's.
    async fn run_step(
        &mut self,
        statement: &str,
        is_repeated: bool,
        [before, after]: &[String; 2],
    ) -> Result<Result<(), D::Error>, MigrateError> {
        self.run(before.clone()).await?;
        if !D::TRANSACTIONAL_DDL {
            self.run("START TRANSACTION".to_owned()).await?;
        }
        let settings = D::patience(statement);
        if let Some((set, _)) = settings {
            self.run(set.to_owned()).await?;
        }
        let ran = D::script(self.0, statement.to_owned()).await;
        if let Some((_, reset)) = settings {
            self.run(reset.to_owned()).await?;
        }
        if let Err(error) = ran
            && !((is_repeated || statement.contains(IF_NOT_EXISTS))
                && changes_tables(statement)
                && (D::IS_DONE)(&error))
        {
            return Ok(Err(error));
        }
        self.run(after.clone()).await?;
        if !D::TRANSACTIONAL_DDL {
            self.run("COMMIT".to_owned()).await?;
        }
        Ok(Ok(()))
    }

    /// Removes the rest of a statement that failed, and its doubt. What fails of that is repeated with the statement.
    async fn undo(&mut self, file: &MigrationFile, statement: &str, error: &D::Error, record: String) {
        if !D::TRANSACTIONAL_DDL {
            drop(D::script(self.0, "ROLLBACK".to_owned()).await);
        }
        // A name that is taken is another index's, which may be in progress.
        if !(D::IS_DONE)(error)
            && let Err(error) = D::prepare_repetition(self.0, statement).await
        {
            tracing::warn!(
                target: TARGET,
                migration = file.version,
                error = D::message(&error),
                "a failed statement left something behind"
            );
        }
        drop(self.run(record).await);
    }
}

/// Whether a step is one statement that changes tables: of several, one that is done says nothing about the others.
fn changes_tables(step: &str) -> bool {
    let word = first_word(step);
    ["CREATE", "ALTER", "DROP", "RENAME"].iter().any(|one| word.eq_ignore_ascii_case(one))
        && statements(step, true).len() == 1
}
