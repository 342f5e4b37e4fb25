//! [`Control`]: the conditions that interrupt a connection's statement.
//!
//! A request that goes away cancels its call, not the connection, which another request may have by then. Each call has
//! a number, which its cancellation names:
//!
//! ```text
//! call 7   its future is dropped   its connection is returned   |                    cancel 7
//! call 8                                                        | it begins, and runs          to its end
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Number of SQLite instructions between two checks of a [`Control`]: some ten microseconds.
pub(in crate::sqlite::embedded) const INSTRUCTIONS_BETWEEN_CHECKS: i32 = 500;

const NEVER: u64 = u64::MAX;
const UNLIMITED: u32 = u32::MAX;
/// Value of the remaining checks after the time ran out first.
const LATE: u32 = u32::MAX - 1;

/// Conditions that interrupt a connection's statement: its call is cancelled, a deadline passes, or the checks are used
/// up.
#[derive(Debug)]
pub(in crate::sqlite::embedded) struct Control {
    /// The number of the call that uses the connection.
    call: AtomicU64,
    /// The number of the latest call that was cancelled.
    cancelled: AtomicU64,
    /// Whether a check has interrupted the current statement.
    interrupted: AtomicBool,
    held: AtomicBool,
    remaining_checks: AtomicU32,
    /// The deadline, in nanoseconds after `start`.
    deadline: AtomicU64,
    start: Instant,
}

impl Control {
    pub(in crate::sqlite::embedded) fn new() -> Arc<Self> {
        Arc::new(Self {
            call: AtomicU64::new(1),
            cancelled: AtomicU64::new(0),
            interrupted: AtomicBool::new(false),
            held: AtomicBool::new(false),
            remaining_checks: AtomicU32::new(UNLIMITED),
            deadline: AtomicU64::new(NEVER),
            start: Instant::now(),
        })
    }

    /// Begins a call whose statements have this time limit, or none.
    pub(in crate::sqlite::embedded) fn arm(&self, limit: Option<Duration>) {
        self.begin_call();
        self.limit(limit);
    }

    /// Sets the time limit of the call's next statements, or removes it.
    pub(in crate::sqlite::embedded) fn limit(&self, limit: Option<Duration>) {
        let deadline = limit.map(|limit| nanoseconds(self.start.elapsed().saturating_add(limit)));
        self.deadline.store(deadline.unwrap_or(NEVER), Ordering::Relaxed);
        self.remaining_checks.store(UNLIMITED, Ordering::Relaxed);
    }

    /// Begins a call, which cancellations of earlier calls do not affect.
    fn begin_call(&self) -> u64 {
        self.call.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(in crate::sqlite::embedded) fn begin_statement(&self) {
        self.interrupted.store(false, Ordering::Relaxed);
    }

    /// Whether a check has interrupted the latest statement.
    pub(in crate::sqlite::embedded) fn has_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Limits the next statement to this number of checks and to this time.
    pub(in crate::sqlite::embedded) fn arm_for(&self, checks: u32, limit: Duration) {
        self.arm(Some(limit));
        self.remaining_checks.store(checks, Ordering::Relaxed);
    }

    /// Whether the last statement used up its checks.
    pub(in crate::sqlite::embedded) fn is_exhausted(&self) -> bool {
        self.remaining_checks.load(Ordering::Relaxed) == 0
    }

    /// Whether the last statement ran out of time before it used up its checks.
    pub(in crate::sqlite::embedded) fn is_late(&self) -> bool {
        self.remaining_checks.load(Ordering::Relaxed) == LATE
    }

    /// Whether the number of checks is limited.
    pub(in crate::sqlite::embedded) fn limits_checks(&self) -> bool {
        self.remaining_checks.load(Ordering::Relaxed) != UNLIMITED
    }

    /// Interrupts the statement of a call at its next check, if that call still has the connection.
    fn cancel(&self, call: u64) {
        self.cancelled.fetch_max(call, Ordering::Relaxed);
    }

    /// Whether interruptions are switched off.
    pub(in crate::sqlite::embedded) fn is_held(&self) -> bool {
        self.held.load(Ordering::Relaxed)
    }

    /// Switches interruptions off until the result is dropped.
    pub(in crate::sqlite::embedded) fn hold(&self) -> impl Drop {
        self.held.store(true, Ordering::Relaxed);
        Held(self)
    }

    /// Checks whether the statement must be interrupted.
    pub(in crate::sqlite::embedded) fn check(&self) -> bool {
        let interrupts = !self.is_held() && (self.is_cancelled() || self.is_over());
        if interrupts {
            self.interrupted.store(true, Ordering::Relaxed);
        }
        interrupts
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) == self.call.load(Ordering::Relaxed)
    }

    /// Whether the time or the checks are used up. Each check uses up one.
    fn is_over(&self) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        let late = deadline != NEVER && nanoseconds(self.start.elapsed()) >= deadline;
        let remaining = self.remaining_checks.load(Ordering::Relaxed);
        if remaining == UNLIMITED {
            return late;
        }
        let remaining = match remaining {
            LATE => LATE,
            0 | 1 => 0,
            _ if late => LATE,
            remaining => remaining - 1,
        };
        self.remaining_checks.store(remaining, Ordering::Relaxed);
        remaining == 0 || remaining == LATE
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

/// Cancels a call on a connection when it is dropped before the call has ended.
pub(in crate::sqlite::embedded) struct CancelOnDrop {
    control: Arc<Control>,
    /// `None` once the call has ended.
    call: Option<u64>,
}

impl CancelOnDrop {
    /// Begins a call.
    pub(in crate::sqlite::embedded) fn new(control: &Arc<Control>) -> Self {
        Self { control: control.clone(), call: Some(control.begin_call()) }
    }

    /// Ends the call normally, so that it is not cancelled any more.
    pub(in crate::sqlite::embedded) fn disarm(mut self) {
        self.call = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(call) = self.call {
            self.control.cancel(call);
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
        drop(CancelOnDrop::new(&control));
        assert!(control.check() && control.has_interrupted());
        control.limit(None);
        assert!(control.check(), "the call is the same one");
        control.arm(Some(Duration::from_hours(1)));
        assert!(!control.check(), "the next statement is another one");
        control.arm(Some(Duration::ZERO));
        assert!(control.check());
        control.arm_for(2, Duration::from_hours(1));
        assert!(!control.check() && !control.is_exhausted());
        assert!(control.check() && control.is_exhausted());
        control.arm_for(2, Duration::ZERO);
        assert!(control.check() && control.is_late() && !control.is_exhausted());
        control.arm(None);
        assert!(!control.check() && !control.is_exhausted());
    }
    #[test]
    fn cancellation_of_an_earlier_call_does_not_reach_a_later_one() {
        let control = Control::new();
        let (first, second) = (CancelOnDrop::new(&control), CancelOnDrop::new(&control));
        drop(first);
        assert!(!control.check());
        second.disarm();
        assert!(!control.check());
        let (first, second) = (CancelOnDrop::new(&control), CancelOnDrop::new(&control));
        drop(second);
        drop(first);
        assert!(control.check(), "an earlier call does not take the cancellation back");
    }
}
