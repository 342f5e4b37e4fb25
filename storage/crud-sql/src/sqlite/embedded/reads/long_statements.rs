//! [`LongStatements`]: slow statements, which do not run on the threads of requests.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64;

/// Time limit of a statement on the thread of its request. Limits of instructions are not enough: one that searches a
/// long text is slower than others.
pub(in crate::sqlite::embedded) const LIMIT: Duration = Duration::from_millis(1);

/// Maximum number of rows that are read on the thread of a request.
pub(in crate::sqlite::embedded) const MAX_ROWS: usize = 128;

/// The number of statements that are remembered.
const PLACES: usize = 256;

/// The bit of an entry whose statement is slow. Without this bit, the statement ran out of time once.
const LONG: u64 = 1;

/// A lock-free set of slow statements. Each statement has one place; it may replace another one there, which is then
/// tried again.
///
/// A statement that used up its instructions is slow. One that ran out of time may be slow, but it may also have waited
/// for the disk or for a core. So it is suspected first, and counts as slow if it runs out of time again although its
/// thread had a core.
pub(in crate::sqlite::embedded) struct LongStatements(Box<[AtomicU64; PLACES]>);

/// The hash of a statement's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::sqlite::embedded) struct StatementHash(u64);

impl StatementHash {
    pub(in crate::sqlite::embedded) fn of(text: &str) -> Self {
        // Zero marks an empty place.
        Self((xxh3_64(text.as_bytes()) | 2) & !LONG)
    }
}

impl Default for LongStatements {
    fn default() -> Self {
        Self(Box::new([const { AtomicU64::new(0) }; PLACES]))
    }
}

impl LongStatements {
    /// Whether a statement is slow.
    pub(in crate::sqlite::embedded) fn contain(&self, key: StatementHash) -> bool {
        self.place(key).load(Ordering::Relaxed) == key.0 | LONG
    }

    /// Whether a statement is suspected: it ran out of time once.
    pub(in crate::sqlite::embedded) fn suspect(&self, key: StatementHash) -> bool {
        self.place(key).load(Ordering::Relaxed) == key.0
    }

    /// Notes that a statement used up its limit.
    pub(in crate::sqlite::embedded) fn insert(&self, key: StatementHash) {
        self.place(key).store(key.0 | LONG, Ordering::Relaxed);
    }

    /// Notes that a statement ran out of time.
    pub(in crate::sqlite::embedded) fn late(&self, key: StatementHash) {
        let place = self.place(key);
        let again = place.load(Ordering::Relaxed) == key.0;
        place.store(if again { key.0 | LONG } else { key.0 }, Ordering::Relaxed);
    }

    /// Notes that a statement ended in time on the thread of its request, and ends the suspicion.
    pub(in crate::sqlite::embedded) fn in_time(&self, key: StatementHash) {
        let place = self.place(key);
        if place.load(Ordering::Relaxed) == key.0 {
            place.store(0, Ordering::Relaxed);
        }
    }

    /// Notes how long a statement ran on another thread. It is forgotten if it was as fast as statements on the threads
    /// of requests are.
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
