//! Days of time zones as spans of time.

use chrono::{DateTime, LocalResult, NaiveDate, NaiveTime, TimeDelta, TimeZone, Utc};

use super::field::Field;
use super::predicate::{Comparison, Predicate};
use super::select::Condition;
use crate::model::value::Value;

/// The first time of a day in a zone, and that of the next day: 23 to 25 hours later where clocks change, and the same
/// time where the zone has skipped the day.
///
/// ```
/// use chrono::{NaiveDate, TimeDelta, Utc};
/// use crud_runtime::query::day_bounds;
///
/// let (start, end) = day_bounds(NaiveDate::from_ymd_opt(2026, 11, 28).unwrap(), &Utc);
/// assert_eq!((start.to_rfc3339(), end - start), ("2026-11-28T00:00:00+00:00".to_owned(), TimeDelta::days(1)));
/// ```
pub fn day_bounds<Z: TimeZone>(day: NaiveDate, zone: &Z) -> (DateTime<Utc>, DateTime<Utc>) {
    (start_of(day, zone), day.succ_opt().map_or(DateTime::<Utc>::MAX_UTC, |next| start_of(next, zone)))
}

/// The first time of a day. Where clocks skip midnight, it is the time of the change.
fn start_of<Z: TimeZone>(day: NaiveDate, zone: &Z) -> DateTime<Utc> {
    let midnight = day.and_time(NaiveTime::MIN);
    // No zone has skipped more than a day.
    let minutes = (0..=2 * 24 * 60).map(|minutes| midnight.checked_add_signed(TimeDelta::minutes(minutes)));
    let first = minutes.flatten().find_map(|local| match zone.from_local_datetime(&local) {
        LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => Some(time.to_utc()),
        LocalResult::None => None,
    });
    first.unwrap_or_else(|| midnight.and_utc())
}

impl Predicate {
    /// The condition that a column's time is at `start` or later, and before `end`.
    #[doc(hidden)]
    pub fn within(column: usize, start: Value, end: Value) -> Self {
        let compare = |operator, value| Self::Compare { column, operator, value };
        Self::And(vec![compare(Comparison::Gte, start), compare(Comparison::Lt, end)])
    }
}

impl<R, T: InstantColumn> Field<R, T> {
    /// The time is on a day of a zone, from its midnight to the next one.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Booking { id: i64, starts_at: DateTime<Utc> }
    /// # fn of(day: NaiveDate) {
    /// let of_the_day = Booking::FIELDS.starts_at.on(day, &Utc);
    /// # }
    /// ```
    pub fn on<Z: TimeZone>(self, day: NaiveDate, zone: &Z) -> Condition<R> {
        let (start, end) = day_bounds(day, zone);
        Condition::new(Predicate::within(self.column(), Value::DateTime(start), Value::DateTime(end)))
    }
}

/// A field type whose values are points of time.
#[diagnostic::on_unimplemented(message = "expected a `DateTime<Utc>`, found `{Self}`")]
pub trait InstantColumn {}

impl InstantColumn for DateTime<Utc> {}
impl InstantColumn for Option<DateTime<Utc>> {}

#[cfg(test)]
mod tests {
    use chrono::FixedOffset;

    use super::*;

    /// A zone that was one hour before UTC, and skipped the first hour of 2026-01-02.
    #[derive(Debug, Clone)]
    struct Skipping;

    impl TimeZone for Skipping {
        type Offset = FixedOffset;

        fn from_offset(_: &FixedOffset) -> Self {
            Self
        }

        fn offset_from_local_date(&self, _: &NaiveDate) -> LocalResult<FixedOffset> {
            LocalResult::None
        }

        fn offset_from_local_datetime(&self, local: &chrono::NaiveDateTime) -> LocalResult<FixedOffset> {
            let gap = NaiveDate::from_ymd_opt(2026, 1, 2).unwrap().and_time(NaiveTime::MIN);
            if *local < gap {
                LocalResult::Single(FixedOffset::west_opt(3_600).unwrap())
            } else if *local < gap + TimeDelta::hours(1) {
                LocalResult::None
            } else {
                LocalResult::Single(FixedOffset::east_opt(0).unwrap())
            }
        }

        fn offset_from_utc_date(&self, _: &NaiveDate) -> FixedOffset {
            FixedOffset::east_opt(0).unwrap()
        }

        fn offset_from_utc_datetime(&self, utc: &chrono::NaiveDateTime) -> FixedOffset {
            let change = NaiveDate::from_ymd_opt(2026, 1, 2).unwrap().and_hms_opt(1, 0, 0).unwrap();
            FixedOffset::east_opt(if *utc < change { -3_600 } else { 0 }).unwrap()
        }
    }

    #[test]
    fn a_day_whose_midnight_is_skipped_begins_when_clocks_change() {
        let day = |day| day_bounds(NaiveDate::from_ymd_opt(2026, 1, day).unwrap(), &Skipping);
        let texts = |(start, end): (DateTime<Utc>, DateTime<Utc>)| (start.to_rfc3339(), end.to_rfc3339());
        let texts = [texts(day(1)), texts(day(2))];
        let text = |text: &str| text.to_owned();
        assert_eq!(texts[0], (text("2026-01-01T01:00:00+00:00"), text("2026-01-02T01:00:00+00:00")));
        assert_eq!(texts[1], (text("2026-01-02T01:00:00+00:00"), text("2026-01-03T00:00:00+00:00")));
    }
}
