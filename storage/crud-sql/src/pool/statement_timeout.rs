//! [`StatementTimeout`]: the time limit of a statement on the server.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The default statement timeout, which is also a request's default time limit.
const DEFAULT: Duration = Duration::from_secs(30);

/// The lock timeout: how long a statement waits for a lock, unless the statement timeout is shorter.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The statement timeout of a server: as long as a request may take, so that an abandoned request does not keep its
/// connection. A connection sets the timeout when it opens, which costs requests nothing. When the timeout changes,
/// older connections are replaced.
#[derive(Debug, Clone)]
pub(crate) struct StatementTimeout(Arc<Mutex<Current>>);

#[derive(Debug)]
struct Current {
    timeout: Duration,
    since: Instant,
}

impl StatementTimeout {
    /// The default statement timeout.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Current { timeout: DEFAULT, since: Instant::now() })))
    }

    /// Sets the timeout. Returns whether it changed.
    pub(crate) fn set(&self, timeout: Duration) -> bool {
        let mut current = self.current();
        let changed = current.timeout != timeout;
        if changed {
            *current = Current { timeout, since: Instant::now() };
        }
        changed
    }

    /// Makes all open connections outdated, so that they are replaced.
    #[cfg(feature = "postgres")]
    pub(crate) fn renew(&self) {
        self.current().since = Instant::now();
    }

    /// The statement timeout. Servers count in milliseconds, and zero would be no limit.
    pub(crate) fn get(&self) -> Duration {
        self.current().timeout.clamp(Duration::from_millis(1), Duration::from_millis(i32::MAX as u64))
    }

    /// The lock timeout.
    pub(crate) fn for_locks(&self) -> Duration {
        self.get().min(LOCK_TIMEOUT)
    }

    /// Whether the timeout was set after a connection of this age was opened.
    pub(crate) fn is_newer_than(&self, age: Duration) -> bool {
        age > self.current().since.elapsed()
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_that_opened_before_a_change_are_outdated() {
        let timeout = StatementTimeout::new();
        let hour = Duration::from_hours(1);
        assert!(!timeout.set(DEFAULT), "it is the same");
        assert!(timeout.set(Duration::from_millis(200)));
        assert!(timeout.is_newer_than(hour) && !timeout.is_newer_than(Duration::ZERO));
        assert_eq!((timeout.get(), timeout.for_locks()), (Duration::from_millis(200), Duration::from_millis(200)));
        timeout.set(hour * 24 * 365);
        assert_eq!((timeout.get().as_millis(), timeout.for_locks()), (i32::MAX as u128, LOCK_TIMEOUT));
        timeout.set(Duration::ZERO);
        assert_eq!(timeout.get(), Duration::from_millis(1), "zero would be no limit");
    }
}
