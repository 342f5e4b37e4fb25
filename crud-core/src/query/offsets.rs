//! [`Offsets`]: the offsets of a time zone from UTC.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};

/// Offsets of a time zone from UTC, in seconds east of it, and the times of their changes.
///
/// ```
/// use crud_runtime::prelude::*;
/// use crud_runtime::query::Offsets;
///
/// let change: DateTime<Utc> = "2026-10-25T01:00:00Z".parse().unwrap();
/// let berlin = Offsets::new(7_200).then(change, 3_600);
/// assert_eq!(berlin.local(change - TimeDelta::seconds(1)).to_string(), "2026-10-25 02:59:59");
/// assert_eq!(berlin.local(change).to_string(), "2026-10-25 02:00:00");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offsets {
    /// The times of the changes in order, each with the offset before it.
    earlier: Vec<(DateTime<Utc>, i32)>,
    last: i32,
}

impl Offsets {
    /// One offset at all times.
    #[must_use]
    pub const fn new(seconds: i32) -> Self {
        Self { earlier: Vec::new(), last: seconds }
    }

    /// Adds an offset from a time on, which is later than those before.
    #[must_use]
    pub fn then(mut self, from: DateTime<Utc>, seconds: i32) -> Self {
        self.earlier.push((from, std::mem::replace(&mut self.last, seconds)));
        self
    }

    /// Whether the offset is zero at all times.
    #[must_use]
    pub fn is_utc(&self) -> bool {
        self.last == 0 && self.earlier.iter().all(|(_, seconds)| *seconds == 0)
    }

    /// The times of the changes, each with the offset before it.
    #[must_use]
    pub fn earlier(&self) -> &[(DateTime<Utc>, i32)] {
        &self.earlier
    }

    /// The offset after the last change.
    #[must_use]
    pub const fn last(&self) -> i32 {
        self.last
    }

    /// Local time of the zone at an instant.
    #[must_use]
    pub fn local(&self, time: DateTime<Utc>) -> NaiveDateTime {
        let earlier = self.earlier.iter().find(|(until, _)| time < *until);
        let seconds = earlier.map_or(self.last, |(_, seconds)| *seconds);
        let utc = time.naive_utc();
        utc.checked_add_signed(TimeDelta::seconds(seconds.into())).unwrap_or(utc)
    }
}
