//! [`Head`]: the last assigned number, and the ids of the log that may still get one.

use serde::{Deserialize, Serialize};

/// Limit of watched intervals. Beyond it, the two intervals that are nearest to each other become one.
const MOST: usize = 256;

/// An interval of ids of the log: the first and the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Interval(pub(crate) i64, pub(crate) i64);

impl Interval {
    const fn has(self, id: i64) -> bool {
        self.0 <= id && id <= self.1
    }

    const fn is_empty(self) -> bool {
        self.0 > self.1
    }
}

/// The state of the numbering. An entry's id is taken before its transaction commits. So ids without a number, between
/// numbered ones, belong to open or rolled-back transactions. Such ids are watched until their transactions can no
/// longer be open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// The last number.
    pub(crate) last: i64,
    /// The greatest id that has a number.
    pub(crate) high: i64,
    /// The watched intervals below `high`, in ascending order. A merged interval has numbered ids too.
    pub(crate) open: Vec<Interval>,
}

impl Head {
    /// The newest `most` watched intervals.
    pub(crate) fn watched(&self, most: usize) -> &[Interval] {
        &self.open[self.open.len().saturating_sub(most)..]
    }

    /// Numbers committed ids in ascending order, watches the skipped ones, and returns the first number. `committed`
    /// must have every committed id between [`high`](Self::high) and its own greatest one.
    pub(crate) fn number(&mut self, committed: &[i64]) -> i64 {
        let first = self.last + 1;
        for &id in committed {
            if id > self.high {
                self.open.push(Interval(self.high + 1, id - 1));
                self.high = id;
            } else if let Some(at) = self.open.iter().position(|interval| interval.has(id)) {
                let Interval(from, to) = self.open.remove(at);
                self.open.insert(at, Interval(id + 1, to));
                self.open.insert(at, Interval(from, id - 1));
            }
            self.open.retain(|interval| !interval.is_empty());
            self.last += 1;
        }
        while self.open.len() > MOST {
            self.merge_nearest();
        }
        first
    }

    /// Stops watching intervals in which nothing can commit any more. Returns whether there were any.
    pub(crate) fn close(&mut self, is_over: impl Fn(Interval) -> bool) -> bool {
        let before = self.open.len();
        self.open.retain(|interval| !is_over(*interval));
        self.open.len() < before
    }

    fn merge_nearest(&mut self) {
        let distance = |at: &usize| self.open[at + 1].0 - self.open[*at].1;
        if let Some(at) = (0..self.open.len().saturating_sub(1)).min_by_key(distance) {
            self.open[at].1 = self.open[at + 1].1;
            self.open.remove(at + 1);
        }
    }
}

/// Ascending ids as intervals of consecutive ids.
pub(crate) fn packed(ids: &[i64]) -> Vec<Interval> {
    let mut packed: Vec<Interval> = Vec::new();
    for &id in ids {
        match packed.last_mut() {
            Some(last) if last.1 + 1 == id => last.1 = id,
            _ => packed.push(Interval(id, id)),
        }
    }
    packed
}

/// The ids of intervals, in their order.
pub(crate) fn unpacked(intervals: &[Interval]) -> impl Iterator<Item = i64> {
    intervals.iter().flat_map(|interval| interval.0..=interval.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_ids_are_watched_until_they_commit() {
        let mut head = Head { last: 10, high: 100, open: Vec::new() };
        assert_eq!(head.number(&[101, 104]), 11);
        assert_eq!((head.last, head.high, &*head.open), (12, 104, &[Interval(102, 103)][..]));
        assert_eq!(head.number(&[103, 105]), 13);
        assert_eq!((head.last, &*head.open), (14, &[Interval(102, 102)][..]));
        assert!(head.close(|_| true) && head.open.is_empty());
    }

    #[test]
    fn beyond_the_limit_neighbours_are_watched_together() {
        let mut head = Head { last: 0, high: 0, open: Vec::new() };
        let every_third: Vec<i64> = (1..=1_000).map(|number| number * 3).collect();
        head.number(&every_third);
        assert_eq!((head.open.len(), head.open[0].0, head.high), (MOST, 1, 3_000));
        let is_watched = |id: i64| head.open.iter().any(|interval| interval.has(id));
        assert!((1..3_000).filter(|id| id % 3 != 0).all(is_watched));
    }

    #[test]
    fn intervals_keep_the_ids() {
        let ids = [1, 2, 3, 7, 9, 10];
        assert_eq!(packed(&ids), [Interval(1, 3), Interval(7, 7), Interval(9, 10)]);
        assert_eq!(unpacked(&packed(&ids)).collect::<Vec<_>>(), ids);
    }
}
