//! [`StatementTimeout`]: how long the server works on a statement.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The default statement timeout, which is that of a request.
const DEFAULT: Duration = Duration::from_secs(30);

/// The lock timeout: how long a statement waits for a lock, unless the statement timeout is shorter.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The statement timeout of a server: as long as a request may take, so that a request that was given up does not keep
/// its connection. A connection sets it when it opens, which costs requests nothing. When the timeout changes,
/// connections that opened before are replaced.
#[derive(Debug, Clone)]
pub(crate) struct StatementTimeout(Arc<Mutex<Current>>);

#[derive(Debug)]
struct Current {
    timeout: Duration,
    since: Instant,
}

impl StatementTimeout {
    /// The default one.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Current { timeout: DEFAULT, since: Instant::now() })))
    }

    /// Sets it; whether it changed.
    pub(crate) fn set(&self, timeout: Duration) -> bool {
        let mut current = self.current();
        let changed = current.timeout != timeout;
        if changed {
            *current = Current { timeout, since: Instant::now() };
        }
        changed
    }

    /// Replaces the connections that are open.
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

    /// Whether it was set after a connection of this age opened.
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
