//! Files that are applied statement by statement.

use std::ops::Range;
use std::time::Instant;

use super::patience::Patience;
use super::record::{self, Progress};
use super::run::{failed, run};
use super::way::first_word;
use crate::TARGET;
use crate::driver::Connection;
use crate::schema::migration_driver::MigrationDriver;
use crate::statements::statements;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{Direction, IF_NOT_EXISTS, MigrationFile};

/// Runs the statements after those that have run, and records each before and after. One that changes records is in a
/// transaction with its record; one that changes tables commits by itself, so that after a kill it is in doubt: its
/// repetition finds that it is done.
pub(super) async fn run_steps<D: MigrationDriver>(
    connection: &mut Connection<D>,
    file: &MigrationFile,
    steps: &[Range<usize>],
    direction: Direction,
    begun: Option<Progress>,
) -> Result<(), MigrateError> {
    let start = Instant::now();
    if begun.is_none() {
        run::<D>(connection, record::begun::<D>(direction, file)).await?;
    }
    let begun = begun.unwrap_or(Progress::of(0));
    let mut patience = Patience::new();
    for (index, place) in steps.iter().enumerate().skip(begun.done) {
        let statement = &file.sql[place.clone()];
        let is_repeated = begun.in_doubt && index == begun.done;
        // A start that was killed leaves an index that is not valid, too.
        D::prepare_repetition(connection, statement).await.map_err(D::general)?;
        let numbers = |done, in_doubt| record::reached(direction, file, Progress { done, in_doubt });
        let records = [numbers(index, true), numbers(index + 1, false)];
        while let Err(error) = run_step::<D>(connection, statement, is_repeated, &records).await? {
            let is_locked = D::is_locked(&error);
            // A lock says nothing about whether it was done before.
            let record = numbers(index, is_repeated && is_locked);
            undo::<D>(connection, file, statement, &error, record).await;
            if !(is_locked && patience.wait(file.version).await) {
                return Err(failed(file, &D::message(&error)));
            }
        }
    }
    run::<D>(connection, record::ended(direction, file, start)).await
}

/// Runs a statement with the records before and after it; the inner error is the statement's.
async fn run_step<D: MigrationDriver>(
    connection: &mut Connection<D>,
    statement: &str,
    is_repeated: bool,
    [before, after]: &[String; 2],
) -> Result<Result<(), D::Error>, MigrateError> {
    run::<D>(connection, before.clone()).await?;
    if !D::TRANSACTIONAL_DDL {
        run::<D>(connection, "START TRANSACTION".to_owned()).await?;
    }
    let settings = D::patience(statement);
    if let Some((set, _)) = settings {
        run::<D>(connection, set.to_owned()).await?;
    }
    let ran = D::script(connection, statement.to_owned()).await;
    if let Some((_, reset)) = settings {
        run::<D>(connection, reset.to_owned()).await?;
    }
    if let Err(error) = ran
        && !((is_repeated || statement.contains(IF_NOT_EXISTS)) && changes_tables(statement) && D::is_done(&error))
    {
        return Ok(Err(error));
    }
    run::<D>(connection, after.clone()).await?;
    if !D::TRANSACTIONAL_DDL {
        run::<D>(connection, "COMMIT".to_owned()).await?;
    }
    Ok(Ok(()))
}

/// Removes the rest of a statement that failed, and its doubt. What fails of that is repeated with the statement.
async fn undo<D: MigrationDriver>(
    connection: &mut Connection<D>,
    file: &MigrationFile,
    statement: &str,
    error: &D::Error,
    record: String,
) {
    if !D::TRANSACTIONAL_DDL {
        drop(D::script(connection, "ROLLBACK".to_owned()).await);
    }
    // A name that is taken is another index's, which may be in progress.
    if !D::is_done(error)
        && let Err(error) = D::prepare_repetition(connection, statement).await
    {
        tracing::warn!(
            target: TARGET,
            migration = file.version,
            error = D::message(&error),
            "a failed statement left something behind"
        );
    }
    drop(run::<D>(connection, record).await);
}

/// Whether a step is one statement that changes tables: of several, one that is done says nothing about the others.
fn changes_tables(step: &str) -> bool {
    let word = first_word(step);
    ["CREATE", "ALTER", "DROP", "RENAME"].iter().any(|one| word.eq_ignore_ascii_case(one))
        && statements(step, true).len() == 1
}
