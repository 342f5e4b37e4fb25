//! Bisection: many changes are tried in one statement; if one of them is refused, in two halves.

use std::ops::Range;

use crate::driver::{Connection, DatabaseRow, Driver};
use crate::model::adapter_error::AdapterError;
use crate::statement::Statement;

/// Outcomes of many changes.
pub(crate) struct Bisected<D: Driver> {
    /// The changes of each successful statement, with the rows that it returned.
    pub(crate) done: Vec<(Range<usize>, Vec<DatabaseRow<D>>)>,
    /// The refused changes, each with its reason.
    pub(crate) refused: Vec<(usize, AdapterError)>,
}

/// Whether a savepoint is set before each statement, on databases where a refused statement aborts the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Savepoints {
    /// No savepoint: after a refused statement the transaction ends or starts over.
    None,
    /// A savepoint before each statement.
    EachStatement,
}

/// Size of the changes to be bisected.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// Number of changes.
    pub(crate) changes: usize,
    /// Number of values that one change binds.
    pub(crate) values: usize,
    /// Number of refused changes after which the others are not tried.
    pub(crate) most_failures: usize,
}

const SET: &str = "SAVEPOINT part";
const RELEASE: &str = "RELEASE SAVEPOINT part";
const ROLL_BACK: &str = "ROLLBACK TO SAVEPOINT part";

/// Applies changes in statements for ranges of them, in order. A statement that is refused because of one change does
/// nothing; its halves are then tried separately.
///
/// # Errors
/// Errors of the database; a refusal that aborts the transaction, where no savepoint is set.
pub(crate) async fn run<D: Driver>(
    connection: &mut Connection<D>,
    size: Size,
    savepoints: Savepoints,
    statement: impl Fn(Range<usize>) -> Result<Statement<D>, AdapterError>,
    translate: impl Fn(D::Error) -> AdapterError,
) -> Result<Bisected<D>, AdapterError> {
    let savepoints = D::ERROR_ABORTS && savepoints == Savepoints::EachStatement;
    let mut bisected = Bisected { done: Vec::new(), refused: Vec::new() };
    let mut pending = D::ranges(size.changes, size.values);
    while let Some(range) = pending.pop() {
        let statement = statement(range.clone())?;
        if savepoints {
            D::execute(connection, SET).await.map_err(D::general)?;
        }
        match D::all(connection, statement).await.map_err(&translate) {
            Ok(rows) => {
                if savepoints {
                    D::execute(connection, RELEASE).await.map_err(D::general)?;
                }
                bisected.done.push((range, rows));
            }
            Err(error) if !error.is_refusal() || D::ERROR_ABORTS && !savepoints => return Err(error),
            Err(error) => {
                if savepoints {
                    D::execute(connection, ROLL_BACK).await.map_err(D::general)?;
                }
                if range.len() == 1 {
                    bisected.refused.push((range.start, error));
                    if bisected.refused.len() >= size.most_failures {
                        break;
                    }
                } else {
                    let middle = range.start + range.len() / 2;
                    pending.push(middle..range.end);
                    pending.push(range.start..middle);
                }
            }
        }
    }
    Ok(bisected)
}
