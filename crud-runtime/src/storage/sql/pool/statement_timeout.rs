//! [`Limit`]: how long the server works on a statement.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// As long as nobody says how long a request may take.
const DEFAULT: Duration = Duration::from_secs(30);

/// How long a statement waits for a lock, unless it may take less.
const LOCK: Duration = Duration::from_secs(5);

/// How long the server works on a statement: as long as a request may take. Nobody waits longer for an answer, and
/// a request that was given up must not keep its connection. A connection is told when it opens, which costs
/// requests nothing; when the limit changes, those that are open make way for new ones.
#[derive(Debug, Clone)]
pub(crate) struct Limit(Arc<Mutex<Current>>);

#[derive(Debug)]
struct Current {
    statement: Duration,
    since: Instant,
}

impl Limit {
    /// The one that holds as long as nobody says another.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Current { statement: DEFAULT, since: Instant::now() })))
    }

    /// Sets it; whether it was another.
    pub(crate) fn set(&self, statement: Duration) -> bool {
        let mut current = self.current();
        let changed = current.statement != statement;
        if changed {
            *current = Current { statement, since: Instant::now() };
        }
        changed
    }

    /// For a statement; servers count in milliseconds, and zero would be no limit.
    pub(crate) fn statement(&self) -> Duration {
        self.current().statement.clamp(Duration::from_millis(1), Duration::from_millis(i32::MAX as u64))
    }

    /// For its wait for a lock.
    pub(crate) fn lock(&self) -> Duration {
        self.statement().min(LOCK)
    }

    /// Whether a connection of this age was told another.
    pub(crate) fn is_unknown_to(&self, age: Duration) -> bool {
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
    fn a_connection_that_was_opened_under_another_limit_makes_way() {
        let limit = Limit::new();
        let hour = Duration::from_hours(1);
        assert!(!limit.set(DEFAULT), "it is the same");
        assert!(limit.set(Duration::from_millis(200)));
        assert!(limit.is_unknown_to(hour) && !limit.is_unknown_to(Duration::ZERO));
        assert_eq!((limit.statement(), limit.lock()), (Duration::from_millis(200), Duration::from_millis(200)));
        limit.set(hour * 24 * 365);
        assert_eq!((limit.statement().as_millis(), limit.lock()), (i32::MAX as u128, LOCK));
        limit.set(Duration::ZERO);
        assert_eq!(limit.statement(), Duration::from_millis(1), "zero would be no limit");
    }
}
