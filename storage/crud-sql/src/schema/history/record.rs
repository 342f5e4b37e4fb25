//! Records of migrations: rows of [`HISTORY_TABLE`], which sqlx's tools read.
//!
//! The record of a file that has begun and not ended has its [`Progress`] in the column `execution_time`, as a negative
//! number.

use std::fmt::Write as _;
use std::time::Instant;

use crate::driver::Driver;
use crate::schema::ddl::text_literal;
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

/// Records of the files that a direction's migrations run.
pub(super) trait Recorded: Copy {
    /// The recorded number of this progress.
    fn number(self, progress: Progress) -> i64;

    /// The progress that a recorded number stands for; `None` for the other direction, a time, and other programs' numbers.
    fn progress(self, number: i64) -> Option<Progress>;

    /// Records the begin of a file.
    fn begun<D: Driver>(self, file: &MigrationFile) -> String;

    /// Records the progress of a file that has begun.
    fn reached(self, file: &MigrationFile, progress: Progress) -> String;

    /// Records the end of a file that has begun.
    fn ended(self, file: &MigrationFile, start: Instant) -> String;

    /// Records a file that has run as a whole.
    fn whole<D: Driver>(self, file: &MigrationFile, start: Instant) -> String;
}

impl Recorded for Direction {
    fn number(self, Progress { done, in_doubt }: Progress) -> i64 {
        let steps = i64::try_from(done).unwrap_or(i64::MAX / 4) * 2 + i64::from(in_doubt);
        match self {
            // -1 is what sqlx's migrator records.
            Self::Up => -2 - steps,
            Self::Down => DOWN - steps,
        }
    }

    fn progress(self, number: i64) -> Option<Progress> {
        let steps = match self {
            Self::Up if number > DOWN => -2 - number,
            Self::Up => return None,
            Self::Down => DOWN - number,
        };
        let steps = usize::try_from(steps).ok()?;
        Some(Progress { done: steps / 2, in_doubt: steps % 2 == 1 })
    }

    fn begun<D: Driver>(self, file: &MigrationFile) -> String {
        match self {
            Self::Up => insert::<D>(file, false, self.number(Progress::of(0))),
            Self::Down => self.reached(file, Progress::of(0)),
        }
    }

    fn reached(self, file: &MigrationFile, progress: Progress) -> String {
        set(file, false, self.number(progress))
    }

    fn ended(self, file: &MigrationFile, start: Instant) -> String {
        match self {
            Self::Up => set(file, true, nanoseconds(start)),
            Self::Down => delete(file),
        }
    }

    fn whole<D: Driver>(self, file: &MigrationFile, start: Instant) -> String {
        match self {
            Self::Up => insert::<D>(file, true, nanoseconds(start)),
            Self::Down => delete(file),
        }
    }
}

fn insert<D: Driver>(file: &MigrationFile, success: bool, execution_time: i64) -> String {
    let mut checksum = String::with_capacity(2 * file.checksum.len());
    for byte in &file.checksum {
        // Writing to a String cannot fail.
        let _ = write!(checksum, "{byte:02x}");
    }
    let (description, checksum) = (text_literal(&file.description), (D::BYTES)(&checksum));
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

fn delete(file: &MigrationFile) -> String {
    format!("DELETE FROM {HISTORY_TABLE} WHERE version = {}", file.version)
}

fn nanoseconds(start: Instant) -> i64 {
    i64::try_from(start.elapsed().as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_read_as_it_is_written() {
        for (direction, other) in [(Direction::Up, Direction::Down), (Direction::Down, Direction::Up)] {
            for progress in [0, 1, 70_000].map(Progress::of) {
                for progress in [progress, Progress { in_doubt: true, ..progress }] {
                    let number = direction.number(progress);
                    assert_eq!((direction.progress(number), other.progress(number)), (Some(progress), None));
                }
            }
            assert_eq!(direction.progress(-1), None, "another program's");
            assert_eq!(direction.progress(7), None, "a time");
        }
    }
}
