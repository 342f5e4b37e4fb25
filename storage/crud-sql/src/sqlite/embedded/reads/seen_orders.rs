//! [`SeenOrders`]: the lists that SQLite sorts, because no index has their order.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::sqlite::embedded::connection::open::Open;
use crate::sqlite::embedded::error::Error;
use crate::sqlite::embedded::reads::seen_plans::plan_of;

/// The number of lists that are remembered.
const PLACES: usize = 256;

/// Number of seconds after which a plan is looked at again: indexes and statistics change, also by other programs.
const SECONDS: u64 = 60;

/// The bit of a list that is sorted.
const SORTED: u64 = 1;

/// The bits for the time of the look and for `SORTED`.
const LOOK: u64 = 0xFFF;

/// A lock-free cache of lists whose plans were looked at. Each list has one place; it may replace another one there,
/// which is then looked at again.
pub(in crate::sqlite::embedded) struct SeenOrders {
    places: Box<[AtomicU64; PLACES]>,
    start: Instant,
}

impl Default for SeenOrders {
    fn default() -> Self {
        Self { places: Box::new([const { AtomicU64::new(0) }; PLACES]), start: Instant::now() }
    }
}

impl SeenOrders {
    /// Whether SQLite sorts the lists of this shape, if that was looked at recently.
    pub(in crate::sqlite::embedded) fn is_sorted(&self, shape: u64) -> Option<bool> {
        let seen = self.place(shape).load(Ordering::Relaxed);
        (seen & !SORTED == self.unsorted(shape)).then_some(seen & SORTED == SORTED)
    }

    /// Looks at the plan of a page of a list of this shape. Returns whether SQLite sorts it.
    ///
    /// # Errors
    /// When the statement cannot be prepared.
    pub(in crate::sqlite::embedded) fn look(&self, shape: u64, open: &Open, text: &str) -> Result<bool, Error> {
        let is_sorted = sorts_every_match(open.sqlite(), text)?;
        self.place(shape).store(self.unsorted(shape) | u64::from(is_sorted), Ordering::Relaxed);
        Ok(is_sorted)
    }

    /// The entry of a list that is not sorted and is looked at now.
    fn unsorted(&self, shape: u64) -> u64 {
        let look = self.start.elapsed().as_secs() / SECONDS + 1;
        (shape & !LOOK) | (look << 1 & LOOK)
    }

    #[allow(clippy::cast_possible_truncation)] // bits beside those of the time choose the place
    fn place(&self, shape: u64) -> &AtomicU64 {
        &self.places[(shape >> 12) as usize % PLACES]
    }
}

impl fmt::Debug for SeenOrders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeenOrders").finish_non_exhaustive()
    }
}

/// Whether a statement finds its rows by one scan or one index of one table, and then sorts all of them.
fn sorts_every_match(sqlite: &rusqlite::Connection, text: &str) -> Result<bool, Error> {
    let lines = plan_of(sqlite, text)?;
    let [find, sort] = lines.as_slice() else { return Ok(false) };
    Ok((find.starts_with("SCAN ") || find.starts_with("SEARCH ")) && sort == "USE TEMP B-TREE FOR ORDER BY")
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::sqlite::embedded::connection::location::Location;
    use crate::sqlite::embedded::connection::open::Purpose;

    #[test]
    fn plans_tell_whether_every_match_is_sorted() {
        let sqlite = Connection::open_in_memory().unwrap();
        let tables =
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c); CREATE INDEX ix ON t (a, b); CREATE INDEX ic ON t (c)";
        sqlite.execute_batch(tables).unwrap();
        let sorts = |rest: &str| sorts_every_match(&sqlite, &format!("SELECT * FROM t WHERE {rest} LIMIT 5")).unwrap();
        assert!(sorts("b > ?1 ORDER BY c + 1, id"));
        assert!(sorts("a = ?1 ORDER BY c, id"));
        assert!(!sorts("a = ?1 ORDER BY b, id"), "an index has the order");
        assert!(!sorts("a = ?1 ORDER BY b, c"), "it is sorted in parts");
        assert!(!sorts("a = ?1 OR c = ?2 ORDER BY b + 1"), "two scans may find a row twice");
    }

    #[test]
    fn lists_are_looked_at_again_when_another_one_takes_their_place() {
        let seen = SeenOrders::default();
        let open = Open::at(&Location::of_url("sqlite::memory:").unwrap(), Purpose::Read).unwrap();
        open.sqlite().execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, a)").unwrap();
        let (sorted, unsorted) = (7 << 12, (7 + PLACES as u64) << 12);
        assert_eq!(seen.is_sorted(sorted), None);
        assert!(seen.look(sorted, &open, "SELECT * FROM t ORDER BY a").unwrap());
        assert_eq!(seen.is_sorted(sorted), Some(true));
        assert!(!seen.look(unsorted, &open, "SELECT * FROM t ORDER BY id").unwrap());
        assert_eq!((seen.is_sorted(unsorted), seen.is_sorted(sorted)), (Some(false), None));
    }
}
