//! [`RateLimiter`]: the requests of each caller in a window of time, in bounded memory.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::shared_limit::SharedLimit;
use crate::model::descriptor::RateLimit;

/// The largest number of callers that are counted at a time.
pub(super) const MAX_CALLERS: usize = 65_536;

/// The longest window.
pub(super) const LONGEST: TimeDelta = TimeDelta::days(36_500);

/// Counts the requests of each caller: a window begins with its first request.
pub(crate) struct RateLimiter {
    limit: RateLimit,
    // Random, so that a client cannot construct a name that shares another's window.
    hasher: RandomState,
    windows: Mutex<HashMap<u64, Window>>,
    /// The count through the database, in place of this process's.
    shared: Option<SharedLimit>,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    start: DateTime<Utc>,
    requests: u32,
}

/// The state of a caller's limit after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) limit: RateLimit,
    /// Number of further requests in the window.
    pub(crate) remaining: u32,
    /// The time until the window ends.
    pub(crate) reset: Duration,
    /// Whether the request is beyond the limit.
    pub(crate) is_exceeded: bool,
}

impl fmt::Debug for RateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimiter").field("limit", &self.limit).finish_non_exhaustive()
    }
}

impl RateLimiter {
    /// A limiter. `name`: of what is limited, the same on every server.
    pub(crate) fn new(limit: RateLimit, name: &str) -> Self {
        let shared = limit.is_shared.then(|| SharedLimit::new(limit, name));
        Self { limit, hasher: RandomState::new(), windows: Mutex::default(), shared }
    }

    /// The count through the database, where the servers share the limit.
    pub(crate) const fn shared(&self) -> Option<&SharedLimit> {
        self.shared.as_ref()
    }

    /// Counts a request of a caller.
    pub(crate) fn count(&self, caller: impl Hash, now: DateTime<Utc>) -> Quota {
        let key = self.hasher.hash_one(caller);
        let length = TimeDelta::from_std(self.limit.per).map_or(LONGEST, |length| length.min(LONGEST));
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that is set back does not lengthen a window.
        let is_current = |window: &Window| window.start <= now && now - window.start < length;
        if windows.len() >= MAX_CALLERS && !windows.contains_key(&key) {
            evict(&mut windows, is_current);
        }
        let window = windows.entry(key).or_insert(Window { start: now, requests: 0 });
        if !is_current(window) {
            *window = Window { start: now, requests: 0 };
        }
        let is_exceeded = window.requests >= self.limit.requests;
        window.requests += u32::from(!is_exceeded);
        let reset = (window.start + length - now).to_std().unwrap_or_default();
        Quota { limit: self.limit, remaining: self.limit.requests - window.requests, reset, is_exceeded }
    }
}

/// Removes the windows that are over, and the older half of the others if there are still too many.
fn evict(windows: &mut HashMap<u64, Window>, is_current: impl Fn(&Window) -> bool) {
    windows.retain(|_, window| is_current(window));
    if windows.len() >= MAX_CALLERS {
        let mut starts: Vec<_> = windows.values().map(|window| window.start).collect();
        let middle = starts.len() / 2;
        let (_, &mut median, _) = starts.select_nth_unstable(middle);
        let mut surplus = middle;
        windows.retain(|_, window| {
            let is_evicted = window.start <= median && surplus > 0;
            surplus -= usize::from(is_evicted);
            !is_evicted
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: RateLimit = RateLimit::new(2, Duration::from_secs(10));

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    fn quota(remaining: u32, reset: u64, is_exceeded: bool) -> Quota {
        Quota { limit: LIMIT, remaining, reset: Duration::from_secs(reset), is_exceeded }
    }

    #[test]
    fn requests_beyond_the_limit_wait_for_the_next_window_of_their_caller() {
        let limiter = RateLimiter::new(LIMIT, "/reports");
        assert_eq!(limiter.count("ann", at(0)), quota(1, 10, false));
        assert_eq!(limiter.count("ann", at(4)), quota(0, 6, false));
        assert_eq!(limiter.count("ann", at(9)), quota(0, 1, true));
        assert_eq!(limiter.count("bob", at(9)), quota(1, 10, false));
        assert_eq!(limiter.count("ann", at(10)), quota(1, 10, false));
    }

    #[test]
    fn window_of_any_length_is_counted() {
        let (short, longest) = (Duration::from_millis(1_500), Duration::from_hours(24 * 36_500));
        for (length, reset) in [(short, short), (Duration::MAX, longest)] {
            let quota = RateLimiter::new(RateLimit::new(2, length), "/reports").count("ann", at(0));
            assert_eq!((quota.remaining, quota.reset), (1, reset));
        }
    }

    #[test]
    fn clock_that_is_set_back_begins_a_window() {
        let limiter = RateLimiter::new(LIMIT, "/reports");
        assert_eq!(limiter.count("ann", at(100)), quota(1, 10, false));
        assert_eq!(limiter.count("ann", at(50)), quota(1, 10, false));
    }

    #[test]
    fn callers_are_counted_in_bounded_memory() {
        let limiter = RateLimiter::new(LIMIT, "/reports");
        for caller in 0..3 * MAX_CALLERS {
            limiter.count(caller, at(0));
        }
        assert!(limiter.windows.lock().expect("no panic").len() <= MAX_CALLERS);
    }
}
