//! One statement for many changes, and as many as it takes when some of them are refused.

use std::ops::Range;

use sqlx::sqlite::{SqliteConnection, SqliteRow};

use super::connections::all;
use super::dialect::Sqlite;
use crate::adapter::AdapterError;
use crate::adapter::sql::statement::Sql;

/// How many changes one statement makes at most. Further ones save little, and SQLite bounds how many
/// values a statement binds.
const MOST: usize = 128;

/// How many values a statement binds at most (`SQLITE_MAX_VARIABLE_NUMBER`).
const MAX_VALUES: usize = 32_766;

/// What became of many changes.
#[derive(Default)]
pub(super) struct Pieces {
    /// The changes of each statement that went through, and the rows that it returned.
    pub(super) done: Vec<(Range<usize>, Vec<SqliteRow>)>,
    /// The changes that were refused, each with its reason.
    pub(super) refused: Vec<(usize, AdapterError)>,
}

/// Makes changes `0..count` by statements for ranges of them, in order. A statement that is refused for the
/// sake of one change does nothing; its halves are tried by themselves.
///
/// `values`: how many values one change binds.
pub(super) async fn run(
    connection: &mut SqliteConnection,
    count: usize,
    values: usize,
    statement: impl Fn(Range<usize>) -> Result<Sql<Sqlite>, AdapterError>,
    translate: impl Fn(sqlx::Error) -> AdapterError,
) -> Result<Pieces, AdapterError> {
    let mut pieces = Pieces::default();
    let mut pending = ranges(count, MOST.min(MAX_VALUES / values.max(1)));
    while let Some(range) = pending.pop() {
        let (text, arguments) = statement(range.clone())?.finish();
        match all(connection, text, arguments).await.map_err(&translate) {
            Ok(rows) => pieces.done.push((range, rows)),
            Err(error) if !error.is_refusal() => return Err(error),
            Err(error) if range.len() == 1 => pieces.refused.push((range.start, error)),
            Err(_) => {
                let middle = range.start + range.len() / 2;
                pending.push(middle..range.end);
                pending.push(range.start..middle);
            }
        }
    }
    Ok(pieces)
}

/// The ranges of a count, the last one first. Their lengths are powers of two, so that few texts serve batches
/// of every size and the statement cache finds them.
fn ranges(count: usize, most: usize) -> Vec<Range<usize>> {
    let most = 1 << most.max(1).ilog2();
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < count {
        let length = most.min(1 << (count - start).ilog2());
        ranges.push(start..start + length);
        start += length;
    }
    ranges.reverse();
    ranges
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn ranges_cover_the_count_in_powers_of_two() {
        assert!(ranges(0, 128).is_empty());
        assert_eq!(ranges(3, 128), [2..3, 0..2]);
        assert_eq!(ranges(301, 128), [300..301, 296..300, 288..296, 256..288, 128..256, 0..128]);
        assert_eq!(ranges(5, 3), [4..5, 2..4, 0..2]);
    }
}
