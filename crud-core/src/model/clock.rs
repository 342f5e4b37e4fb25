//! [`Clock`]: the time of a service.

use std::fmt;
#[cfg(feature = "testing")]
use std::sync::Arc;
#[cfg(feature = "testing")]
use std::sync::atomic::{AtomicI64, Ordering};
#[cfg(feature = "testing")]
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::text;

/// The clock of a service: timestamps of changes, tokens, jobs and their leases, and schedules read it. Clones are the
/// same clock.
///
/// The clock follows the system's. With the feature `testing`, a test sets it, and only this service sees that:
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::time::Duration;
///
/// use crud_runtime::Clock;
///
/// let clock = Clock::default();
/// clock.set("2026-01-31T12:00:00Z".parse().unwrap());
/// clock.advance(Duration::from_mins(5));
/// assert_eq!(clock.now().to_rfc3339(), "2026-01-31T12:05:00+00:00");
/// # }
/// ```
///
/// Limits on the duration of requests and connections, and the limit of login attempts, do not use this clock.
#[derive(Clone, Default)]
pub struct Clock {
    #[cfg(feature = "testing")]
    fixed: Arc<FixedTime>,
}

/// A stopped time in microseconds since 1970; `i64::MIN` while the clock follows the system's.
#[cfg(feature = "testing")]
struct FixedTime {
    now: AtomicI64,
    /// The last time of a change.
    last: AtomicI64,
}

#[cfg(feature = "testing")]
impl Default for FixedTime {
    fn default() -> Self {
        Self { now: AtomicI64::new(i64::MIN), last: AtomicI64::new(i64::MIN) }
    }
}

impl Clock {
    /// The current time.
    #[cfg_attr(not(feature = "testing"), allow(clippy::unused_self))]
    pub fn now(&self) -> DateTime<Utc> {
        #[cfg(feature = "testing")]
        if let Some(now) = self.fixed() {
            return time(now);
        }
        Utc::now()
    }

    /// The time of a change, to the microsecond that storage keeps: the current time, and strictly later than every time
    /// returned before, so that times tell changes apart.
    #[cfg_attr(not(feature = "testing"), allow(clippy::unused_self))]
    pub fn stamp(&self) -> DateTime<Utc> {
        #[cfg(feature = "testing")]
        if let Some(now) = self.fixed() {
            let after = |last: i64| now.max(last.saturating_add(1));
            let last = self.fixed.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(after(last)));
            return time(last.map_or(now, after));
        }
        text::stamp()
    }

    /// Stops the clock at a time. The first change from now on has exactly this time, and later ones are a microsecond
    /// apart. Tokens have the clock's time in whole seconds.
    #[cfg(feature = "testing")]
    pub fn set(&self, time: DateTime<Utc>) {
        self.fixed.last.store(i64::MIN, Ordering::Relaxed);
        self.fixed.now.store(time.timestamp_micros(), Ordering::Relaxed);
    }

    /// Moves the clock by this duration; a running clock stops there.
    #[cfg(feature = "testing")]
    pub fn advance(&self, by: Duration) {
        self.set(self.now() + by);
    }

    #[cfg(feature = "testing")]
    fn fixed(&self) -> Option<i64> {
        Some(self.fixed.now.load(Ordering::Relaxed)).filter(|now| *now != i64::MIN)
    }
}

#[cfg(feature = "testing")]
fn time(micros: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(micros).unwrap_or_default()
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now()).finish()
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn changes_at_a_time_that_stands_still_are_a_microsecond_apart() {
        let (clock, noon) = (Clock::default(), "2026-01-31T12:00:00Z".parse().unwrap());
        clock.set(noon);
        assert_eq!([clock.stamp(), clock.stamp()], [noon, noon + TimeDelta::microseconds(1)]);
        clock.set(noon - TimeDelta::hours(1));
        assert_eq!((clock.now(), clock.stamp()), (noon - TimeDelta::hours(1), noon - TimeDelta::hours(1)));
    }

    #[test]
    fn clones_of_a_clock_are_set_together_and_others_run() {
        let (clock, other) = (Clock::default(), Clock::default());
        clock.clone().set(DateTime::UNIX_EPOCH);
        clock.advance(Duration::from_hours(24));
        assert_eq!(clock.now(), DateTime::UNIX_EPOCH + TimeDelta::days(1));
        assert!(other.now() > clock.now() && other.stamp() > clock.now());
    }
}
