//! [`Control`]: when a connection's statement is interrupted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The number of SQLite's instructions, some ten microseconds, between two checks of a [`Control`].
pub(super) const INSTRUCTIONS_BETWEEN_CHECKS: i32 = 500;

const NEVER: u64 = u64::MAX;
const UNLIMITED: u32 = u32::MAX;

/// When a connection's statement is interrupted: when it is cancelled, at a deadline, or after so many checks.
#[derive(Debug)]
pub(super) struct Control {
    cancelled: AtomicBool,
    held: AtomicBool,
    checks_left: AtomicU32,
    /// Nanoseconds after `start`.
    deadline: AtomicU64,
    start: Instant,
}

impl Control {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            cancelled: AtomicBool::new(false),
            held: AtomicBool::new(false),
            checks_left: AtomicU32::new(UNLIMITED),
            deadline: AtomicU64::new(NEVER),
            start: Instant::now(),
        })
    }

    /// Lets the next statements run as long as they take, or for this long.
    pub(super) fn arm(&self, limit: Option<Duration>) {
        let deadline = limit.map(|limit| nanoseconds(self.start.elapsed().saturating_add(limit)));
        self.deadline.store(deadline.unwrap_or(NEVER), Ordering::Relaxed);
        self.checks_left.store(UNLIMITED, Ordering::Relaxed);
        self.cancelled.store(false, Ordering::Relaxed);
    }

    /// Lets the next statement run for so many checks, and for this long.
    pub(super) fn arm_for(&self, checks: u32, limit: Duration) {
        self.arm(Some(limit));
        self.checks_left.store(checks, Ordering::Relaxed);
    }

    /// Whether the last statement used up its checks or its time.
    pub(super) fn is_exhausted(&self) -> bool {
        self.checks_left.load(Ordering::Relaxed) == 0
    }

    /// Interrupts the statement at its next check.
    pub(super) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Interrupts nothing until the result is dropped.
    pub(super) fn hold(&self) -> impl Drop {
        self.held.store(true, Ordering::Relaxed);
        Held(self)
    }

    /// A check: whether the statement is interrupted.
    pub(super) fn check(&self) -> bool {
        if self.held.load(Ordering::Relaxed) {
            return false;
        }
        if self.cancelled.load(Ordering::Relaxed) {
            return true;
        }
        let deadline = self.deadline.load(Ordering::Relaxed);
        let late = deadline != NEVER && nanoseconds(self.start.elapsed()) >= deadline;
        let left = self.checks_left.load(Ordering::Relaxed);
        if left == UNLIMITED {
            return late;
        }
        let left = if late { 0 } else { left.saturating_sub(1) };
        self.checks_left.store(left, Ordering::Relaxed);
        left == 0
    }
}

struct Held<'a>(&'a Control);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.held.store(false, Ordering::Relaxed);
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(NEVER)
}

/// Cancels the statement of a connection when it is dropped before the statement has ended.
pub(super) struct CancelOnDrop(Option<Arc<Control>>);

impl CancelOnDrop {
    pub(super) fn new(control: &Arc<Control>) -> Self {
        Self(Some(control.clone()))
    }

    /// The statement has ended.
    pub(super) fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(control) = &self.0 {
            control.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_interrupted_when_cancelled_at_its_deadline_or_after_its_checks() {
        let control = Control::new();
        assert!(!control.check());
        control.cancel();
        assert!(control.check());
        control.arm(Some(Duration::from_hours(1)));
        assert!(!control.check(), "the next statement is another one");
        control.arm(Some(Duration::ZERO));
        assert!(control.check());
        control.arm_for(2, Duration::from_hours(1));
        assert!(!control.check() && !control.is_exhausted());
        assert!(control.check() && control.is_exhausted());
        control.arm_for(2, Duration::ZERO);
        assert!(control.check() && control.is_exhausted());
        control.arm(None);
        assert!(!control.check() && !control.is_exhausted());
    }
}
