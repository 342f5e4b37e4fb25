//! [`SlowStatements`]: which lists take long, and when each kind of them was logged last.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time from which on a statement is slow, where nothing else is set.
const THRESHOLD: Duration = Duration::from_millis(100);

/// The least time between two lines of one kind of list.
const PAUSE: Duration = Duration::from_mins(1);

/// The most kinds of lists that are remembered.
const MAX_KINDS: usize = 1_000;

/// The lists that took long, and when each kind was logged last.
#[derive(Debug)]
pub(crate) struct SlowStatements {
    /// In microseconds.
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
    /// Sets the time from which on a statement is slow.
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
