//! [`LoginThrottle`]: the limits of failed login attempts.
//!
//! Failures are counted for each pair of name and address, for each name, and for each address. The limit of a pair is
//! the configured one, the other two are ten times that: failures from elsewhere rarely lock a user out, and neither
//! many addresses nor many names help to guess a password.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The largest number of counters.
const MAX_COUNTERS: usize = 65_536;

/// The limit of a name and of an address, as a multiple of a pair's.
const SINGLE_LIMIT_FACTOR: u32 = 10;

/// Counts failed login attempts, and refuses more than the limits.
pub(super) struct LoginThrottle {
    max_failures: u32,
    window: Duration,
    // Random, so that a client cannot construct a name that shares another's counter.
    hasher: RandomState,
    counters: Mutex<HashMap<u64, Counter>>,
}

/// The failures within one window.
#[derive(Clone, Copy)]
struct Counter {
    failures: u32,
    window_start: Instant,
}

/// A login attempt, counted as failed until it succeeds.
#[derive(Debug)]
#[must_use]
pub(super) struct Attempt<'a> {
    throttle: &'a LoginThrottle,
    /// The counters of the pair, the name and the address.
    keys: [Option<u64>; 3],
}

impl LoginThrottle {
    /// A throttle that allows this many failures of a name from an address within a window.
    pub(super) fn new(max_failures: u32, window: Duration) -> Self {
        Self { max_failures, window, hasher: RandomState::new(), counters: Mutex::default() }
    }

    /// Begins an attempt.
    ///
    /// # Errors
    /// The time to wait, when a limit is reached.
    pub(super) fn begin(&self, name: &str, address: Option<IpAddr>) -> Result<Attempt<'_>, Duration> {
        self.begin_at(name, address, Instant::now())
    }

    fn begin_at(&self, name: &str, address: Option<IpAddr>, now: Instant) -> Result<Attempt<'_>, Duration> {
        let address = address.map(network);
        let keys = [
            Some(self.hasher.hash_one((0, name, address))),
            Some(self.hasher.hash_one((1, name))),
            address.map(|address| self.hasher.hash_one((2, address))),
        ];
        let single_limit = self.max_failures.saturating_mul(SINGLE_LIMIT_FACTOR);
        let limits = [self.max_failures, single_limit, single_limit];
        let mut counters = self.counters();
        let time_left = |counter: &Counter| {
            let elapsed = now.saturating_duration_since(counter.window_start);
            self.window.checked_sub(elapsed).filter(|left| !left.is_zero())
        };
        let waits = keys.iter().zip(limits).filter_map(|(key, limit)| {
            let counter = counters.get(key.as_ref()?).filter(|counter| counter.failures >= limit)?;
            time_left(counter)
        });
        if let Some(wait) = waits.max() {
            return Err(wait);
        }
        for key in keys.iter().flatten() {
            if counters.len() >= MAX_COUNTERS && !counters.contains_key(key) {
                self.evict(&mut counters, now);
            }
            let counter = counters.entry(*key).or_insert(Counter { failures: 0, window_start: now });
            if time_left(counter).is_none() {
                *counter = Counter { failures: 0, window_start: now };
            }
            counter.failures = counter.failures.saturating_add(1);
        }
        Ok(Attempt { throttle: self, keys })
    }

    /// Evicts the counters whose window is over, and the older half if the throttle is still full.
    fn evict(&self, counters: &mut HashMap<u64, Counter>, now: Instant) {
        counters.retain(|_, counter| now.saturating_duration_since(counter.window_start) < self.window);
        if counters.len() >= MAX_COUNTERS {
            let mut starts: Vec<Instant> = counters.values().map(|counter| counter.window_start).collect();
            let middle = starts.len() / 2;
            let (_, &mut median, _) = starts.select_nth_unstable(middle);
            let mut surplus = middle;
            counters.retain(|_, counter| {
                let is_evicted = counter.window_start <= median && surplus > 0;
                surplus -= usize::from(is_evicted);
                !is_evicted
            });
        }
    }

    fn counters(&self) -> MutexGuard<'_, HashMap<u64, Counter>> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attempt<'_> {
    /// Records a success: resets the pair's counter, and takes this attempt back from the other two.
    pub(super) fn succeed(self) {
        let mut counters = self.throttle.counters();
        let [pair, singles @ ..] = self.keys;
        if let Some(pair) = pair {
            counters.remove(&pair);
        }
        for key in singles.iter().flatten() {
            if let Some(counter) = counters.get_mut(key) {
                counter.failures = counter.failures.saturating_sub(1);
            }
        }
    }
}

/// The network of one client: an IPv4 address, or the 64-bit prefix of an IPv6 address, whose rest the client chooses.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}

impl fmt::Debug for LoginThrottle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginThrottle")
            .field("max_failures", &self.max_failures)
            .field("window", &self.window)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn a_pair_of_name_and_address_is_limited_within_a_window() {
        let (throttle, now) = (LoginThrottle::new(2, MINUTE), Instant::now());
        for _ in 0..2 {
            drop(throttle.begin_at("ada", Some(address(1)), now).unwrap());
        }
        let later = now + Duration::from_secs(20);
        assert_eq!(throttle.begin_at("ada", Some(address(1)), later).unwrap_err(), Duration::from_secs(40));
        drop(throttle.begin_at("ada", Some(address(2)), later).unwrap());
        drop(throttle.begin_at("bob", Some(address(1)), later).unwrap());
        drop(throttle.begin_at("ada", Some(address(1)), now + MINUTE).unwrap());
    }

    #[test]
    fn names_and_addresses_have_limits_across_pairs() {
        let (throttle, now) = (LoginThrottle::new(1, MINUTE), Instant::now());
        for last in 0..10 {
            drop(throttle.begin_at("ada", Some(address(last)), now).unwrap());
        }
        assert!(throttle.begin_at("ada", Some(address(99)), now).is_err());
        for name in 0..10 {
            drop(throttle.begin_at(&name.to_string(), Some(address(50)), now).unwrap());
        }
        assert!(throttle.begin_at("bob", Some(address(50)), now).is_err());
    }

    #[test]
    fn a_success_resets_the_counters() {
        let (throttle, now) = (LoginThrottle::new(2, MINUTE), Instant::now());
        for _ in 0..100 {
            throttle.begin_at("ada", Some(address(1)), now).unwrap().succeed();
        }
    }

    #[test]
    fn an_ipv6_prefix_of_64_bits_is_one_client() {
        let throttle = LoginThrottle::new(1, MINUTE);
        drop(throttle.begin("ada", "2001:db8::1".parse().ok()).unwrap());
        assert!(throttle.begin("ada", "2001:db8::2".parse().ok()).is_err());
        drop(throttle.begin("ada", "::ffff:10.0.0.1".parse().ok()).unwrap());
        assert!(throttle.begin("ada", Some(address(1))).is_err());
    }

    #[test]
    fn counters_are_bounded() {
        let (throttle, now) = (LoginThrottle::new(1, MINUTE), Instant::now());
        for name in 0..MAX_COUNTERS {
            drop(throttle.begin_at(&name.to_string(), None, now));
        }
        let kept = throttle.counters().len();
        assert!((MAX_COUNTERS / 2..=MAX_COUNTERS).contains(&kept), "{kept}");
    }
}
