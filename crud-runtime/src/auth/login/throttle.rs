//! [`LoginThrottle`]: the limits of failed login attempts.
//!
//! Failures are counted for each pair of name and address, for each address, and for each name.
//!
//! | Key | Limit | Beyond it |
//! |---|---|---|
//! | pair | the configured one | refused |
//! | address | ten times that | refused |
//! | name | ten times that | one attempt at a time, each after [`DELAY`] |
//!
//! A name's limit must not refuse: failures from ten addresses would lock its user out. Beyond it, each address has one
//! place in the name's queue. An address from which the name logged in within the window does not wait at all.
//!
//! Attempts in flight use up what is left of a limit, so that concurrent guesses cannot exceed it; further ones wait
//! until one of them ends. Only an attempt that fails is counted for good: not one that succeeds, is cancelled, or finds
//! the service busy.
//!
//! Where servers share the limits, an attempt begins with the failures that other servers have counted. Attempts in
//! flight there are not counted: a limit is exceeded by their number at most.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::auth::login::counters::{Counter, LoginCounters};
use crate::auth::login::refused_login;
use crate::auth::login::shared_failures::SharedFailures;
use crate::auth::network::network;
use crate::store::app::App;

/// The limit of a name and of an address, as a multiple of a pair's.
const SINGLE_LIMIT_FACTOR: u32 = 10;

/// Duration of each attempt in a name's queue.
const DELAY: Duration = Duration::from_secs(1);

/// Maximum number of attempts in a name's queue: the last one must be done well before the request's time is over.
const MAX_LINE: u32 = 20;

/// Counts failed login attempts, and refuses or delays more than the limits.
pub(in crate::auth) struct LoginThrottle {
    max_failures: u32,
    // Random, so that a client cannot construct a name that shares another's counter.
    hasher: RandomState,
    counters: Mutex<LoginCounters>,
    /// Notified when an attempt ends.
    ended: Notify,
    /// The failures of all servers, where they are shared.
    shared: Option<SharedFailures>,
}

/// The keys of an attempt's counters.
#[derive(Debug, Clone, Copy)]
struct Keys {
    pair: u64,
    name: u64,
    address: Option<u64>,
}

impl Keys {
    fn all(self) -> impl Iterator<Item = u64> {
        [self.pair, self.name].into_iter().chain(self.address)
    }
}

/// Decision of the limits about an attempt.
#[derive(Debug)]
enum Admission {
    /// The attempt may run, in the name's queue if there is one.
    Admitted(Option<Arc<Semaphore>>),
    /// The attempt may run after the end of another.
    Wait,
    /// The attempt may not run for this time.
    Refused(Duration),
}

/// A login attempt in flight. Dropped without an outcome, it is not counted.
#[derive(Debug)]
#[must_use]
pub(in crate::auth) struct Attempt<'a> {
    throttle: &'a LoginThrottle,
    keys: Keys,
    name: &'a str,
    address: Option<IpAddr>,
    /// The attempt's permit in the name's queue.
    turn: Option<OwnedSemaphorePermit>,
}

impl LoginThrottle {
    /// A throttle that allows this many failures of a name from an address within a window.
    pub(in crate::auth) fn new(max_failures: u32, window: Duration) -> Self {
        let counters = Mutex::new(LoginCounters::new(window));
        Self { max_failures, hasher: RandomState::new(), counters, ended: Notify::new(), shared: None }
    }

    /// Counts the failures of all servers of a database together.
    pub(in crate::auth) fn share(&mut self, app: App) {
        let window = self.counters().window();
        self.shared = Some(SharedFailures::new(app, window));
    }

    /// Begins an attempt, as soon as the limits allow.
    ///
    /// # Errors
    /// The time to wait, when a limit is reached.
    pub(in crate::auth) async fn begin<'a>(
        &'a self,
        name: &'a str,
        address: Option<IpAddr>,
    ) -> Result<Attempt<'a>, Duration> {
        let keys = self.keys(name, address);
        if let Some(shared) = &self.shared {
            // Boxed, so that logins of services without shared limits need no space for it.
            Box::pin(self.learn(shared, keys, name, address)).await;
        }
        loop {
            // Before the limits are read: an attempt that ends in between notifies too.
            let ended = self.ended.notified();
            match self.admit(keys, Instant::now()) {
                Admission::Admitted(line) => {
                    let mut attempt = Attempt { throttle: self, keys, name, address, turn: None };
                    if let Some(line) = line {
                        // The semaphore is never closed.
                        attempt.turn = line.acquire_owned().await.ok();
                        tokio::time::sleep(DELAY).await;
                    }
                    return Ok(attempt);
                }
                Admission::Wait => ended.await,
                Admission::Refused(wait) => {
                    refused_login::log(name, address, "too many attempts failed");
                    return Err(wait);
                }
            }
        }
    }

    /// Takes over the failures that other servers have counted.
    async fn learn(&self, shared: &SharedFailures, keys: Keys, name: &str, address: Option<IpAddr>) {
        let found = shared.read(name, address).await;
        let (mut counters, now) = (self.counters(), Instant::now());
        for (key, failures) in
            [(Some(keys.pair), found.pair), (Some(keys.name), found.name), (keys.address, found.address)]
        {
            if let (Some(key), Some((failures, left))) = (key, failures) {
                counters.learn(key, failures, left, now);
            }
        }
    }

    fn keys(&self, name: &str, address: Option<IpAddr>) -> Keys {
        let address = address.map(network);
        Keys {
            pair: self.hasher.hash_one((0, name, address)),
            name: self.hasher.hash_one((1, name)),
            address: address.map(|address| self.hasher.hash_one((2, address))),
        }
    }

    /// Admits an attempt and counts it as in flight, if the limits allow.
    fn admit(&self, keys: Keys, now: Instant) -> Admission {
        let mut counters = self.counters();
        let limit = self.max_failures;
        let single_limit = limit.saturating_mul(SINGLE_LIMIT_FACTOR);
        let (pair, name) = (counters.get(keys.pair, now), counters.get(keys.name, now));
        let address = keys.address.map(|key| counters.get(key, now));
        let refusing = [Some((&pair, limit)), address.as_ref().map(|address| (address, single_limit))];
        let reached = refusing.iter().flatten().filter(|(counter, limit)| counter.failures >= *limit);
        if let Some(wait) = reached.map(|(counter, _)| counters.time_left(counter, now)).max() {
            return Admission::Refused(wait);
        }
        let is_over = name.failures >= single_limit;
        let in_line = is_over && !pair.has_succeeded;
        if in_line && pair.in_flight == 0 && name.in_flight >= MAX_LINE {
            return Admission::Refused(DELAY * MAX_LINE);
        }
        let waiting_for = [Some((&name, single_limit)).filter(|_| !is_over)].into_iter().chain(refusing);
        let is_used_up =
            |(counter, limit): (&Counter, u32)| counter.failures.saturating_add(counter.in_flight) >= limit;
        if (in_line && pair.in_flight > 0) || waiting_for.flatten().any(is_used_up) {
            return Admission::Wait;
        }
        let mut line = None;
        for key in keys.all() {
            counters.change(key, now, |counter| {
                counter.in_flight += 1;
                line = (in_line && key == keys.name).then(|| counter.line()).or(line.take());
            });
        }
        Admission::Admitted(line)
    }

    fn counters(&self) -> MutexGuard<'_, LoginCounters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attempt<'_> {
    /// Counts a failure.
    pub(in crate::auth) fn fail(self) {
        refused_login::log(self.name, self.address, "the name or the password is wrong");
        self.fail_at(Instant::now());
        if let Some(shared) = &self.throttle.shared {
            shared.add(self.name, self.address);
        }
    }

    fn fail_at(&self, now: Instant) {
        let mut counters = self.throttle.counters();
        for key in self.keys.all() {
            counters.change(key, now, |counter| counter.failures = counter.failures.saturating_add(1));
        }
    }

    /// Forgets the pair's failures.
    pub(in crate::auth) fn succeed(self) {
        let mut counters = self.throttle.counters();
        counters.change(self.keys.pair, Instant::now(), |pair| (pair.failures, pair.has_succeeded) = (0, true));
        if let Some(shared) = &self.throttle.shared {
            shared.forget(self.name, self.address);
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let mut counters = self.throttle.counters();
        for key in self.keys.all() {
            counters.change(key, Instant::now(), |counter| counter.in_flight = counter.in_flight.saturating_sub(1));
        }
        drop(counters);
        self.turn = None;
        self.throttle.ended.notify_waiters();
    }
}

impl fmt::Debug for LoginThrottle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginThrottle").field("max_failures", &self.max_failures).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    impl LoginThrottle {
        fn admit_at(&self, name: &str, address: IpAddr, now: Instant) -> Admission {
            self.admit(self.keys(name, Some(address)), now)
        }

        /// An attempt that is admitted without a queue.
        fn attempt_at<'a>(&'a self, name: &'a str, address: IpAddr, now: Instant) -> Attempt<'a> {
            let keys = self.keys(name, Some(address));
            assert!(matches!(self.admit(keys, now), Admission::Admitted(None)));
            Attempt { throttle: self, keys, name, address: Some(address), turn: None }
        }

        fn fail_at(&self, name: &str, address: IpAddr, now: Instant) {
            self.attempt_at(name, address, now).fail_at(now);
        }
    }

    fn is_refused(admission: &Admission) -> bool {
        matches!(admission, Admission::Refused(_))
    }

    #[test]
    fn a_pair_of_name_and_address_is_limited_within_a_window() {
        let (throttle, now) = (LoginThrottle::new(2, MINUTE), Instant::now());
        for _ in 0..2 {
            throttle.fail_at("ada", address(1), now);
        }
        let later = now + Duration::from_secs(20);
        let refused = throttle.admit_at("ada", address(1), later);
        assert!(matches!(refused, Admission::Refused(wait) if wait == Duration::from_secs(40)), "{refused:?}");
        throttle.fail_at("ada", address(2), later);
        throttle.fail_at("bob", address(1), later);
        throttle.fail_at("ada", address(1), now + MINUTE);
    }

    #[test]
    fn an_address_is_limited_for_all_names() {
        let (throttle, now) = (LoginThrottle::new(1, MINUTE), Instant::now());
        for name in 0..10 {
            throttle.fail_at(&name.to_string(), address(1), now);
        }
        assert!(is_refused(&throttle.admit_at("ada", address(1), now)));
    }

    #[test]
    fn a_name_beyond_its_limit_has_a_line_with_one_place_for_each_address() {
        let (throttle, now) = (LoginThrottle::new(1, MINUTE), Instant::now());
        for last in 0..10 {
            throttle.fail_at("ada", address(last), now);
        }
        for last in 100..120 {
            assert!(matches!(throttle.admit_at("ada", address(last), now), Admission::Admitted(Some(_))));
            assert!(matches!(throttle.admit_at("ada", address(last), now), Admission::Wait));
        }
        assert!(is_refused(&throttle.admit_at("ada", address(99), now)), "the line is full");
    }

    #[test]
    fn an_address_that_logged_in_does_not_wait_in_line() {
        let (throttle, now) = (LoginThrottle::new(1, MINUTE), Instant::now());
        throttle.attempt_at("ada", address(99), now).succeed();
        for last in 0..10 {
            throttle.fail_at("ada", address(last), now);
        }
        throttle.attempt_at("ada", address(99), now).succeed();
        throttle.fail_at("ada", address(99), now);
        assert!(is_refused(&throttle.admit_at("ada", address(99), now)), "its own failures count");
    }

    #[test]
    fn attempts_in_flight_use_up_the_limit_until_they_end() {
        let (throttle, now) = (LoginThrottle::new(2, MINUTE), Instant::now());
        throttle.fail_at("ada", address(1), now);
        let cancelled = throttle.attempt_at("ada", address(1), now);
        assert!(matches!(throttle.admit_at("ada", address(1), now), Admission::Wait));
        drop(cancelled);
        let right = throttle.attempt_at("ada", address(1), now);
        right.succeed();
        for _ in 0..2 {
            throttle.fail_at("ada", address(1), now);
        }
        assert!(is_refused(&throttle.admit_at("ada", address(1), now)));
    }

    #[tokio::test]
    async fn an_attempt_that_waits_begins_after_another_has_ended() {
        let throttle = LoginThrottle::new(1, MINUTE);
        let first = throttle.begin("ada", Some(address(1))).await.unwrap();
        let (second, ()) = tokio::join!(throttle.begin("ada", Some(address(1))), async { first.succeed() });
        second.unwrap().fail();
        assert!(throttle.begin("ada", Some(address(1))).await.is_err());
    }

    #[test]
    fn an_ipv6_prefix_of_64_bits_is_one_client() {
        let (throttle, now) = (LoginThrottle::new(1, MINUTE), Instant::now());
        throttle.fail_at("ada", "2001:db8::1".parse().unwrap(), now);
        assert!(is_refused(&throttle.admit_at("ada", "2001:db8::2".parse().unwrap(), now)));
        throttle.fail_at("ada", "::ffff:10.0.0.1".parse().unwrap(), now);
        assert!(is_refused(&throttle.admit_at("ada", address(1), now)));
    }
}
