//! [`LongStatements`]: the statements that are not tried on the threads of requests.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64;

/// Time limit of a statement on the thread of its request: an instruction that searches a long text takes more than
/// others.
pub(in crate::sqlite::embedded) const LIMIT: Duration = Duration::from_millis(1);

/// The most rows that are read there.
pub(in crate::sqlite::embedded) const MAX_ROWS: usize = 128;

/// The number of statements that are remembered.
const PLACES: usize = 256;

/// The bit of a place whose statement took long. Without it, the statement was late once.
const LONG: u64 = 1;

/// The statements that took long, without a lock: each has one place, where it may replace another one, which is tried
/// again then.
///
/// A statement that used up its instructions takes long. One that ran out of time before may be slow, or wait for the
/// disk, or its thread had no core for a while: it is suspected, and takes long when it runs out of time again, on a thread
/// that had a core.
pub(in crate::sqlite::embedded) struct LongStatements(Box<[AtomicU64; PLACES]>);

/// A statement, by its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::sqlite::embedded) struct StatementHash(u64);

impl StatementHash {
    pub(in crate::sqlite::embedded) fn of(text: &str) -> Self {
        // Zero is no statement.
        Self((xxh3_64(text.as_bytes()) | 2) & !LONG)
    }
}

impl Default for LongStatements {
    fn default() -> Self {
        Self(Box::new([const { AtomicU64::new(0) }; PLACES]))
    }
}

impl LongStatements {
    /// Whether a statement takes long.
    pub(in crate::sqlite::embedded) fn contain(&self, key: StatementHash) -> bool {
        self.place(key).load(Ordering::Relaxed) == key.0 | LONG
    }

    /// Whether a statement ran out of time once.
    pub(in crate::sqlite::embedded) fn suspect(&self, key: StatementHash) -> bool {
        self.place(key).load(Ordering::Relaxed) == key.0
    }

    /// A statement used up what it may.
    pub(in crate::sqlite::embedded) fn insert(&self, key: StatementHash) {
        self.place(key).store(key.0 | LONG, Ordering::Relaxed);
    }

    /// A statement ran out of time.
    pub(in crate::sqlite::embedded) fn late(&self, key: StatementHash) {
        let place = self.place(key);
        let again = place.load(Ordering::Relaxed) == key.0;
        place.store(if again { key.0 | LONG } else { key.0 }, Ordering::Relaxed);
    }

    /// A statement ended in time on the thread of its request.
    pub(in crate::sqlite::embedded) fn in_time(&self, key: StatementHash) {
        let place = self.place(key);
        if place.load(Ordering::Relaxed) == key.0 {
            place.store(0, Ordering::Relaxed);
        }
    }

    /// A statement read these rows on another thread, in this time: it is forgotten if that is no more than others do on the
    /// threads of their requests.
    pub(in crate::sqlite::embedded) fn ran(&self, key: StatementHash, rows: usize, elapsed: Duration) {
        if rows <= MAX_ROWS && elapsed < LIMIT / 4 {
            let _ = self.place(key).compare_exchange(key.0 | LONG, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    #[allow(clippy::cast_possible_truncation)] // bits beside those that every key has choose the place
    fn place(&self, key: StatementHash) -> &AtomicU64 {
        &self.0[(key.0 >> 8) as usize % PLACES]
    }
}

impl fmt::Debug for LongStatements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LongStatements").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statement_that_is_late_twice_in_a_row_takes_long() {
        let (long, key) = (LongStatements::default(), StatementHash::of("SELECT 1"));
        long.late(key);
        assert!(!long.contain(key));
        long.in_time(key);
        long.late(key);
        assert!(!long.contain(key), "it was in time in between");
        long.late(key);
        assert!(long.contain(key));
        assert!(!long.contain(StatementHash::of("SELECT 2")));
    }

    #[test]
    fn statement_that_took_long_is_forgotten_when_it_takes_less() {
        let (long, key) = (LongStatements::default(), StatementHash::of("SELECT 1"));
        long.insert(key);
        long.ran(key, 20, LIMIT);
        long.ran(key, MAX_ROWS + 1, LIMIT / 5);
        long.in_time(key);
        assert!(long.contain(key));
        long.ran(key, 20, LIMIT / 5);
        assert!(!long.contain(key));
    }
}
