//! [`LoginCounters`]: the failed and unfinished login attempts of each key, in bounded memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

/// The largest number of counters, those of attempts in flight excepted.
pub(in crate::auth) const MAX_COUNTERS: usize = 65_536;

/// The counters, by the hash of a key.
#[derive(Debug)]
pub(in crate::auth) struct LoginCounters {
    window: Duration,
    by_key: HashMap<u64, Counter>,
}

/// The attempts of one key.
#[derive(Debug, Clone)]
pub(in crate::auth) struct Counter {
    /// The failures within the window.
    pub(in crate::auth) failures: u32,
    /// The attempts that have begun and not ended.
    pub(in crate::auth) in_flight: u32,
    /// Whether an attempt succeeded within the window.
    pub(in crate::auth) has_succeeded: bool,
    window_start: Instant,
    /// The queue of attempts that run one at a time: a semaphore with one permit.
    line: Option<Arc<Semaphore>>,
}

impl Counter {
    fn new(now: Instant) -> Self {
        Self { failures: 0, in_flight: 0, has_succeeded: false, window_start: now, line: None }
    }

    /// Whether the counter is equal to a new one.
    fn is_void(&self) -> bool {
        self.failures == 0 && self.in_flight == 0 && !self.has_succeeded
    }

    /// The queue, which exists while an attempt in flight holds it.
    pub(in crate::auth) fn line(&mut self) -> Arc<Semaphore> {
        self.line.get_or_insert_with(|| Arc::new(Semaphore::new(1))).clone()
    }
}

impl LoginCounters {
    pub(in crate::auth) fn new(window: Duration) -> Self {
        Self { window, by_key: HashMap::new() }
    }

    /// The time for which failures count.
    pub(in crate::auth) const fn window(&self) -> Duration {
        self.window
    }

    /// Takes over the failures of a key that are counted elsewhere, and the time that is left of their window.
    pub(in crate::auth) fn learn(&mut self, key: u64, failures: u32, left: Duration, now: Instant) {
        if self.get(key, now).failures >= failures {
            return;
        }
        let start = now.checked_sub(self.window.saturating_sub(left)).unwrap_or(now);
        self.change(key, now, |counter| (counter.failures, counter.window_start) = (failures, start));
    }

    /// The time until the failures of a key are forgotten.
    pub(in crate::auth) fn time_left(&self, counter: &Counter, now: Instant) -> Duration {
        self.window.saturating_sub(now.saturating_duration_since(counter.window_start))
    }

    /// A key's attempts within the window.
    pub(in crate::auth) fn get(&self, key: u64, now: Instant) -> Counter {
        let mut counter = self.by_key.get(&key).cloned().unwrap_or_else(|| Counter::new(now));
        self.forget_old(&mut counter, now);
        counter
    }

    /// Changes a key's counter.
    pub(in crate::auth) fn change(&mut self, key: u64, now: Instant, change: impl FnOnce(&mut Counter)) {
        if self.by_key.len() >= MAX_COUNTERS && !self.by_key.contains_key(&key) {
            self.evict(now);
        }
        let mut counter = self.get(key, now);
        if counter.failures == 0 && !counter.has_succeeded {
            counter.window_start = now;
        }
        change(&mut counter);
        if counter.is_void() {
            self.by_key.remove(&key);
        } else {
            self.by_key.insert(key, counter);
        }
    }

    fn forget_old(&self, counter: &mut Counter, now: Instant) {
        if self.time_left(counter, now).is_zero() {
            (counter.failures, counter.has_succeeded, counter.window_start) = (0, false, now);
        }
    }

    /// Evicts the counters whose window is over, and the older half if there are still too many. Those of attempts in
    /// flight stay.
    fn evict(&mut self, now: Instant) {
        let window = self.window;
        let is_over = |counter: &Counter| now.saturating_duration_since(counter.window_start) >= window;
        self.by_key.retain(|_, counter| counter.in_flight > 0 || !is_over(counter));
        if self.by_key.len() >= MAX_COUNTERS {
            let mut starts: Vec<Instant> = self.by_key.values().map(|counter| counter.window_start).collect();
            let middle = starts.len() / 2;
            let (_, &mut median, _) = starts.select_nth_unstable(middle);
            let mut surplus = middle;
            self.by_key.retain(|_, counter| {
                let is_evicted = counter.window_start <= median && surplus > 0 && counter.in_flight == 0;
                surplus -= usize::from(is_evicted);
                !is_evicted
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    #[test]
    fn counters_are_bounded() {
        let (mut counters, now) = (LoginCounters::new(MINUTE), Instant::now());
        for key in 0..2 * MAX_COUNTERS as u64 {
            counters.change(key, now, |counter| counter.failures += 1);
        }
        let kept = counters.by_key.len();
        assert!((MAX_COUNTERS / 2..=MAX_COUNTERS).contains(&kept), "{kept}");
    }

    #[test]
    fn failures_elsewhere_count_until_their_window_ends() {
        let (mut counters, now) = (LoginCounters::new(MINUTE), Instant::now() + MINUTE);
        counters.learn(1, 5, Duration::from_secs(10), now);
        counters.learn(1, 3, Duration::from_secs(50), now);
        assert_eq!(counters.get(1, now + Duration::from_secs(9)).failures, 5);
        assert_eq!(counters.get(1, now + Duration::from_secs(10)).failures, 0);
    }

    #[test]
    fn attempts_in_flight_outlive_eviction_and_the_window() {
        let (mut counters, now) = (LoginCounters::new(MINUTE), Instant::now());
        counters.change(0, now, |counter| (counter.in_flight, counter.failures) = (1, 7));
        for key in 1..=MAX_COUNTERS as u64 {
            counters.change(key, now, |counter| counter.failures += 1);
        }
        assert_eq!(counters.get(0, now).failures, 7);
        let kept = counters.get(0, now + MINUTE);
        assert_eq!((kept.failures, kept.in_flight), (0, 1));
    }

    #[test]
    fn ended_attempts_without_an_outcome_leave_no_counter() {
        let (mut counters, now) = (LoginCounters::new(MINUTE), Instant::now());
        counters.change(0, now, |counter| counter.in_flight += 1);
        counters.change(0, now, |counter| counter.in_flight -= 1);
        assert!(counters.by_key.is_empty());
    }
}
