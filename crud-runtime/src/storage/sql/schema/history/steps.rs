//! Files that are applied statement by statement.

use std::ops::Range;
use std::time::Instant;

use super::record::{Direction, Progress};
use super::way::first_word;
use super::{failed, run};
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::MigrationFile;
use crate::storage::sql::driver::{Connection, Driver};
use crate::storage::statements::statements;

/// Runs the statements after those that have run, and records each before and after. One that changes records is in a
/// transaction with its record; one that changes tables commits by itself, so that after a kill it is in doubt: its
/// repetition finds that it is done.
pub(super) async fn run_steps<D: Driver>(
    connection: &mut Connection<D>,
    file: &MigrationFile,
    steps: &[Range<usize>],
    direction: Direction,
    begun: Option<Progress>,
) -> Result<(), MigrateError> {
    let start = Instant::now();
    if begun.is_none() {
        run::<D>(connection, direction.begun::<D>(file)).await?;
    }
    let begun = begun.unwrap_or(Progress::of(0));
    for (index, place) in steps.iter().enumerate().skip(begun.done) {
        let statement = &file.sql[place.clone()];
        let is_repeated = begun.in_doubt && index == begun.done;
        if is_repeated {
            D::prepare_repetition(connection, statement).await.map_err(D::general)?;
        }
        run::<D>(connection, direction.reached(file, Progress { done: index, in_doubt: true })).await?;
        if !D::TRANSACTIONAL_DDL {
            run::<D>(connection, "START TRANSACTION".to_owned()).await?;
        }
        if let Err(error) = D::script(connection, statement.to_owned()).await
            && !(is_repeated && changes_tables(statement) && D::is_done(&error))
        {
            undo::<D>(connection, file, statement, &error, direction.reached(file, Progress::of(index))).await;
            return Err(failed(file, &D::message(&error)));
        }
        run::<D>(connection, direction.reached(file, Progress::of(index + 1))).await?;
        if !D::TRANSACTIONAL_DDL {
            run::<D>(connection, "COMMIT".to_owned()).await?;
        }
    }
    run::<D>(connection, direction.ended(file, start)).await
}

/// Removes the rest of a statement that failed, and its doubt. What fails of that is repeated with the statement.
async fn undo<D: Driver>(
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
