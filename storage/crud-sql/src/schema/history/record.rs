//! Records of migrations: rows of [`HISTORY_TABLE`], which sqlx's tools read.
//!
//! The record of a file that has begun and not ended has its [`Progress`] in the column `execution_time`, as a negative
//! number.

use std::time::Instant;

use crate::schema::ddl::{hexadecimal, text_literal};
use crate::schema::migration_driver::MigrationDriver;
use crate::storage::migrations::{Direction, HISTORY_TABLE, MigrationFile};

/// Number of a file that is reverted, before its first statement; each half-step decrements it.
const DOWN: i64 = -1_000_000_000;

/// Progress of a file that is applied statement by statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Progress {
    /// Number of statements that have run.
    pub(super) done: usize,
    /// Whether the next one has begun, and may have run.
    pub(super) in_doubt: bool,
}

impl Progress {
    /// Progress between two statements.
    pub(super) const fn of(done: usize) -> Self {
        Self { done, in_doubt: false }
    }
}

/// The recorded number of the progress of a file.
fn number(direction: Direction, Progress { done, in_doubt }: Progress) -> i64 {
    let steps = i64::try_from(done).unwrap_or(i64::MAX / 4) * 2 + i64::from(in_doubt);
    match direction {
        // -1 is what sqlx's migrator records.
        Direction::Up => -2 - steps,
        Direction::Down => DOWN - steps,
    }
}

/// The progress that a recorded number stands for; `None` for the other direction, a time, and other programs' numbers.
pub(super) fn progress(direction: Direction, number: i64) -> Option<Progress> {
    let steps = match direction {
        Direction::Up if number > DOWN => -2 - number,
        Direction::Up => return None,
        Direction::Down => DOWN - number,
    };
    let steps = usize::try_from(steps).ok()?;
    Some(Progress { done: steps / 2, in_doubt: steps % 2 == 1 })
}

/// Records the begin of a file.
pub(super) fn begun<D: MigrationDriver>(direction: Direction, file: &MigrationFile) -> String {
    match direction {
        Direction::Up => insert::<D>(file, false, number(direction, Progress::of(0))),
        Direction::Down => reached(direction, file, Progress::of(0)),
    }
}

/// Records the progress of a file that has begun.
pub(super) fn reached(direction: Direction, file: &MigrationFile, progress: Progress) -> String {
    set(file, false, number(direction, progress))
}

/// Records the end of a file. `begun`: whether its begin is recorded.
pub(super) fn ended<D: MigrationDriver>(
    direction: Direction,
    file: &MigrationFile,
    start: Instant,
    begun: bool,
) -> String {
    let nanoseconds = i64::try_from(start.elapsed().as_nanos()).unwrap_or(i64::MAX);
    match direction {
        Direction::Up if begun => set(file, true, nanoseconds),
        Direction::Up => insert::<D>(file, true, nanoseconds),
        Direction::Down => format!("DELETE FROM {HISTORY_TABLE} WHERE version = {}", file.version),
    }
}

fn insert<D: MigrationDriver>(file: &MigrationFile, success: bool, execution_time: i64) -> String {
    let (description, checksum) = (text_literal(&file.description), (D::BYTES)(&hexadecimal(&file.checksum)));
    format!(
        "INSERT INTO {HISTORY_TABLE} (version, description, success, checksum, execution_time) \
         VALUES ({}, {description}, {success}, {checksum}, {execution_time})",
        file.version
    )
}

fn set(file: &MigrationFile, success: bool, execution_time: i64) -> String {
    let version = file.version;
    format!(
        "UPDATE {HISTORY_TABLE} SET success = {success}, execution_time = {execution_time} WHERE version = {version}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_read_as_it_is_written() {
        for (direction, other) in [(Direction::Up, Direction::Down), (Direction::Down, Direction::Up)] {
            for progress in [0, 1, 70_000].map(Progress::of) {
                for progress in [progress, Progress { in_doubt: true, ..progress }] {
                    let number = number(direction, progress);
                    let read = [direction, other].map(|direction| super::progress(direction, number));
                    assert_eq!(read, [Some(progress), None]);
                }
            }
            assert_eq!(progress(direction, -1), None, "another program's");
            assert_eq!(progress(direction, 7), None, "a time");
        }
    }
}
