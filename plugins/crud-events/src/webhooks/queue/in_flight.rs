//! [`InFlight`]: the attempts of this process, by their webhooks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Limit of the attempts of a process.
const ALL: usize = 64;

/// Limit of the attempts of a process for one webhook.
const EACH: usize = 8;

/// The number of running attempts of this process, by webhook. A slow receiver cannot take more than its share.
#[derive(Debug, Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<HashMap<i64, usize>>>);

/// A slot for a running attempt, until it is dropped.
#[derive(Debug)]
pub(crate) struct AttemptSlot {
    all: InFlight,
    webhook: i64,
}

impl InFlight {
    /// Takes a slot for an attempt; `None` at the limit. A failing webhook has one slot.
    pub(crate) fn take(&self, webhook: i64, is_failing: bool) -> Option<AttemptSlot> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = if is_failing { 1 } else { EACH };
        if all.values().sum::<usize>() >= ALL || all.get(&webhook).is_some_and(|count| *count >= limit) {
            return None;
        }
        *all.entry(webhook).or_default() += 1;
        Some(AttemptSlot { all: self.clone(), webhook })
    }

    /// The number of free slots.
    pub(crate) fn left(&self) -> usize {
        ALL.saturating_sub(self.0.lock().unwrap_or_else(PoisonError::into_inner).values().sum())
    }
}

impl Drop for AttemptSlot {
    fn drop(&mut self) {
        let mut all = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = all.get_mut(&self.webhook) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.webhook);
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
}
