//! One statement for many changes, and as many as it takes when some of them are refused.

use std::ops::Range;

use crate::model::adapter_error::AdapterError;
use crate::storage::sql::driver::{Connection, DatabaseRow, Engine};
use crate::storage::sql::statement::Statement;

/// What became of many changes.
pub(crate) struct Pieces<E: Engine> {
    /// The changes of each statement that went through, and the rows that it returned.
    pub(crate) done: Vec<(Range<usize>, Vec<DatabaseRow<E>>)>,
    /// The changes that were refused, each with its reason.
    pub(crate) refused: Vec<(usize, AdapterError)>,
}

/// What is done about a statement that is refused, where that spoils the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    /// Nothing: no statement comes after it, or the transaction is begun anew.
    None,
    /// A savepoint before each statement.
    Savepoints,
}

const SET: &str = "SAVEPOINT piece";
const KEEP: &str = "RELEASE SAVEPOINT piece";
const UNDO: &str = "ROLLBACK TO SAVEPOINT piece";

/// Makes changes `0..count` by statements for ranges of them, in order. A statement that is refused for the
/// sake of one change does nothing; its halves are tried by themselves.
///
/// `values`: how many values one change binds.
///
/// # Errors
/// Those of the database; a refusal, where it spoils the transaction without a savepoint.
pub(crate) async fn run<E: Engine>(
    connection: &mut Connection<E>,
    count: usize,
    values: usize,
    care: Care,
    statement: impl Fn(Range<usize>) -> Result<Statement<E>, AdapterError>,
    translate: impl Fn(sqlx::Error) -> AdapterError,
) -> Result<Pieces<E>, AdapterError> {
    let savepoints = E::SPOILS && care == Care::Savepoints;
    let mut pieces = Pieces { done: Vec::new(), refused: Vec::new() };
    let mut pending = E::ranges(count, values);
    while let Some(range) = pending.pop() {
        let statement = statement(range.clone())?;
        if savepoints {
            E::execute(connection, SET).await.map_err(E::general)?;
        }
        match E::all(connection, statement).await.map_err(&translate) {
            Ok(rows) => {
                if savepoints {
                    E::execute(connection, KEEP).await.map_err(E::general)?;
                }
                pieces.done.push((range, rows));
            }
            Err(error) if !error.is_refusal() || E::SPOILS && !savepoints => return Err(error),
            Err(error) => {
                if savepoints {
                    E::execute(connection, UNDO).await.map_err(E::general)?;
                }
                if range.len() == 1 {
                    pieces.refused.push((range.start, error));
                } else {
                    let middle = range.start + range.len() / 2;
                    pending.push(middle..range.end);
                    pending.push(range.start..middle);
                }
            }
        }
    }
    Ok(pieces)
}
