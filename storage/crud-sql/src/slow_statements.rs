//! [`SlowStatements`]: the kinds of lists that were slow, and the time when each was last logged.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Default duration from which on a statement is slow.
const THRESHOLD: Duration = Duration::from_millis(100);

/// Minimum time between two log lines about one kind of list.
const PAUSE: Duration = Duration::from_mins(1);

/// Maximum number of kinds of lists that are remembered.
const MAX_KINDS: usize = 1_000;

/// The kinds of lists that were slow, and the time when each was last logged.
#[derive(Debug)]
pub(crate) struct SlowStatements {
    /// The threshold, in microseconds.
    threshold: AtomicU64,
    logged: Mutex<HashMap<Kind, Instant>>,
}

/// A resource, a filter and an order, without values.
pub(super) type Kind = (&'static str, String, String);

impl Default for SlowStatements {
    fn default() -> Self {
        Self { threshold: AtomicU64::new(micros(THRESHOLD)), logged: Mutex::default() }
    }
}

impl SlowStatements {
    /// Sets the duration from which on a statement is slow.
    pub(super) fn set_threshold(&self, threshold: Duration) {
        self.threshold.store(micros(threshold), Ordering::Relaxed);
    }

    pub(super) fn is_slow(&self, elapsed: Duration) -> bool {
        micros(elapsed) >= self.threshold.load(Ordering::Relaxed)
    }

    /// Whether a kind is to be logged now.
    pub(super) fn is_due(&self, kind: Kind) -> bool {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.get(&kind).is_some_and(|last| last.elapsed() < PAUSE) {
            return false;
        }
        if logged.len() >= MAX_KINDS {
            logged.clear();
        }
        logged.insert(kind, Instant::now());
        true
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
