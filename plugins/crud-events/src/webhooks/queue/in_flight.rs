//! [`InFlight`]: the attempts of this process, by their webhooks.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Limit of the attempts of a process.
const ALL: usize = 64;

/// Limit of the attempts of a process for one webhook.
const EACH: usize = 8;

/// Limit of the attempts of a process for all failing and slow webhooks together. The rest is for receivers that answer.
const TROUBLED: usize = ALL / 2;

/// Time of an attempt from which its webhook is slow, until an attempt takes less.
const SLOW: Duration = Duration::from_secs(2);

/// The running attempts of this process. Slow receivers cannot take more than their share.
#[derive(Debug, Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<Attempts>>);

#[derive(Debug, Default)]
struct Attempts {
    /// The number of attempts by webhook.
    of: HashMap<i64, usize>,
    /// The number of attempts for failing and slow webhooks.
    troubled: usize,
    slow: HashSet<i64>,
}

impl Attempts {
    fn left(&self) -> usize {
        ALL.saturating_sub(self.of.values().sum())
    }
}

/// A slot for a running attempt, until it is dropped.
#[derive(Debug)]
pub(crate) struct AttemptSlot {
    all: InFlight,
    webhook: i64,
    is_troubled: bool,
    began: Instant,
}

impl InFlight {
    fn lock(&self) -> MutexGuard<'_, Attempts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a slot for an attempt; `None` at the limit. A failing webhook has one slot.
    pub(crate) fn take(&self, webhook: i64, is_failing: bool) -> Option<AttemptSlot> {
        let mut all = self.lock();
        let limit = if is_failing { 1 } else { EACH };
        let is_troubled = is_failing || all.slow.contains(&webhook);
        let is_at_limit = all.of.get(&webhook).is_some_and(|count| *count >= limit);
        if all.left() == 0 || is_at_limit || is_troubled && all.troubled >= TROUBLED {
            return None;
        }
        *all.of.entry(webhook).or_default() += 1;
        all.troubled += usize::from(is_troubled);
        Some(AttemptSlot { all: self.clone(), webhook, is_troubled, began: Instant::now() })
    }

    /// The number of free slots.
    pub(crate) fn left(&self) -> usize {
        self.lock().left()
    }

    /// Whether failing webhooks have a free slot.
    pub(crate) fn has_left_for_failing(&self) -> bool {
        self.lock().troubled < TROUBLED
    }
}

impl Drop for AttemptSlot {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        all.troubled -= usize::from(self.is_troubled);
        if self.began.elapsed() < SLOW {
            all.slow.remove(&self.webhook);
        } else {
            all.slow.insert(self.webhook);
        }
        if let Some(count) = all.of.get_mut(&self.webhook) {
            *count -= 1;
            if *count == 0 {
                all.of.remove(&self.webhook);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webhook_takes_no_more_than_its_share() {
        let all = InFlight::default();
        let mut places: Vec<_> = (0..EACH).map(|_| all.take(1, false).expect("a place")).collect();
        assert!(all.take(1, false).is_none());
        let failing = all.take(2, true).expect("a place");
        assert!(all.take(2, true).is_none() && all.take(2, false).is_some());
        places.extend((3..).map_while(|webhook| all.take(webhook, false)));
        assert_eq!((places.len(), all.left()), (ALL - 1, 0));
        drop((places, failing));
        assert_eq!(all.left(), ALL);
    }

    #[test]
    fn failing_and_slow_webhooks_take_half_of_the_slots() {
        let all = InFlight::default();
        let mut slow = all.take(1, false).expect("a place");
        slow.began -= SLOW;
        drop(slow);
        let mut places: Vec<_> = (100..).map_while(|webhook| all.take(webhook, true)).collect();
        assert_eq!((places.len(), all.left(), all.has_left_for_failing()), (TROUBLED, ALL - TROUBLED, false));
        assert!(all.take(1, false).is_none(), "its last attempt was slow");
        drop(places.pop());
        drop(all.take(1, false).expect("a place"));
        places.push(all.take(100_000, true).expect("a place"));
        assert!(all.take(1, false).is_some(), "its last attempt was quick");
    }
}
