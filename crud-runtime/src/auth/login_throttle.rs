//! Limits on attempts to log in.
//!
//! Three counts of failed attempts are kept: of a name from an address, of a name from anywhere, and of an address
//! for whatever names. The first is the limit itself and the others are ten times that, so that somebody who
//! forgot a password is not kept out by others, and neither many addresses nor many names help to guess.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many counts are kept, however many names and addresses there are.
const CAPACITY: usize = 65_536;

/// How much more a name from anywhere and an address for any name may fail.
const WIDER: u32 = 10;

/// Counts failed attempts.
pub(super) struct LoginThrottle {
    attempts: u32,
    window: Duration,
    // Whoever could choose what shares a count could use up another's.
    hasher: RandomState,
    counts: Mutex<HashMap<u64, Count>>,
}

/// What failed within a window.
#[derive(Clone, Copy)]
struct Count {
    failed: u32,
    since: Instant,
}

/// An attempt, which counts as failed until it succeeds.
#[derive(Debug)]
#[must_use]
pub(super) struct Attempt<'a> {
    throttle: &'a LoginThrottle,
    keys: [Option<u64>; 3],
}

impl LoginThrottle {
    /// This many failed attempts of a name from an address within this time.
    pub(super) fn new(attempts: u32, window: Duration) -> Self {
        Self { attempts, window, hasher: RandomState::new(), counts: Mutex::default() }
    }

    /// Begins an attempt.
    ///
    /// # Errors
    /// How long to wait, when there were too many.
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
        let most = [self.attempts, self.attempts.saturating_mul(WIDER), self.attempts.saturating_mul(WIDER)];
        let mut counts = self.counts();
        let left = |count: &Count| self.window.checked_sub(now.saturating_duration_since(count.since));
        let waits = keys.iter().zip(most).filter_map(|(key, most)| {
            let count = counts.get(key.as_ref()?).filter(|count| count.failed >= most)?;
            left(count).filter(|left| !left.is_zero())
        });
        if let Some(wait) = waits.max() {
            return Err(wait);
        }
        for key in keys.iter().flatten() {
            if counts.len() >= CAPACITY && !counts.contains_key(key) {
                self.make_room(&mut counts, now);
            }
            let count = counts.entry(*key).or_insert(Count { failed: 0, since: now });
            if left(count).is_none_or(|left| left.is_zero()) {
                *count = Count { failed: 0, since: now };
            }
            count.failed = count.failed.saturating_add(1);
        }
        Ok(Attempt { throttle: self, keys })
    }

    /// Forgets what is over, or the older half where that is not enough.
    fn make_room(&self, counts: &mut HashMap<u64, Count>, now: Instant) {
        counts.retain(|_, count| now.saturating_duration_since(count.since) < self.window);
        if counts.len() >= CAPACITY {
            let mut times: Vec<Instant> = counts.values().map(|count| count.since).collect();
            let middle = times.len() / 2;
            let (_, &mut median, _) = times.select_nth_unstable(middle);
            let mut surplus = middle;
            counts.retain(|_, count| {
                let goes = count.since <= median && surplus > 0;
                surplus -= usize::from(goes);
                !goes
            });
        }
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<u64, Count>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attempt<'_> {
    /// The attempt did not fail: the name from the address starts anew, the others had one failure less.
    pub(super) fn succeed(self) {
        let mut counts = self.throttle.counts();
        let [own, wider @ ..] = self.keys;
        if let Some(own) = own {
            counts.remove(&own);
        }
        for key in wider.iter().flatten() {
            if let Some(count) = counts.get_mut(key) {
                count.failed = count.failed.saturating_sub(1);
            }
        }
    }
}

/// What one client has: an IPv4 address, or the 64 bits of an IPv6 one that are not its own to choose.
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
            .field("attempts", &self.attempts)
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
    fn a_name_is_limited_from_an_address_for_a_while() {
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
    fn neither_many_addresses_nor_many_names_help() {
        let (throttle, now) = (LoginThrottle::new(1, MINUTE), Instant::now());
        for last in 0..10 {
            drop(throttle.begin_at("ada", Some(address(last)), now).unwrap());
        }
        assert!(throttle.begin_at("ada", Some(address(99)), now).is_err());
        for name in 0..10 {
            drop(throttle.begin_at(&name.to_string(), Some(address(50)), now).unwrap());
        }
        assert!(throttle.begin_at("somebody", Some(address(50)), now).is_err());
    }

    #[test]
    fn a_success_is_no_failure() {
        let (throttle, now) = (LoginThrottle::new(2, MINUTE), Instant::now());
        for _ in 0..100 {
            throttle.begin_at("ada", Some(address(1)), now).unwrap().succeed();
        }
    }

    #[test]
    fn a_network_of_ipv6_is_one_client() {
        let throttle = LoginThrottle::new(1, MINUTE);
        drop(throttle.begin("ada", "2001:db8::1".parse().ok()).unwrap());
        assert!(throttle.begin("ada", "2001:db8::2".parse().ok()).is_err());
        drop(throttle.begin("ada", "::ffff:10.0.0.1".parse().ok()).unwrap());
        assert!(throttle.begin("ada", Some(address(1))).is_err());
    }

    #[test]
    fn memory_is_bounded() {
        let (throttle, now) = (LoginThrottle::new(1, MINUTE), Instant::now());
        for name in 0..CAPACITY {
            drop(throttle.begin_at(&name.to_string(), None, now));
        }
        let kept = throttle.counts().len();
        assert!((CAPACITY / 2..=CAPACITY).contains(&kept), "{kept}");
    }
}
