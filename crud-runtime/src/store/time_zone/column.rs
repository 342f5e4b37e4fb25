//! [`TimeZone`]: the type of a field with a time zone.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::zones::parse;
use crate::model::column::{Column, ComparableColumn, ZoneColumn};
use crate::model::column_error::ColumnError;
use crate::model::value::{Kind, Value, ValueRef};
use crate::query::day_bounds;

/// A time zone of the IANA database, by its name: `Europe/Berlin`.
///
/// A field of the type takes known names alone; with `#[crud(time_zone(field))]` on the struct, filters by a day have the
/// midnights of the record's zone.
///
/// ```
/// use crud_runtime::column::TimeZone;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(filter(starts_at), time_zone(zone))]
/// struct Booking {
///     id: i64,
///     zone: TimeZone,
///     starts_at: DateTime<Utc>,
/// }
///
/// let berlin: TimeZone = "Europe/Berlin".parse()?;
/// let (start, end) = berlin.day(NaiveDate::from_ymd_opt(2026, 10, 25).unwrap());
/// assert_eq!(end - start, TimeDelta::hours(25));
/// # Ok::<(), crud_runtime::column::ColumnError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeZone(Tz);

impl TimeZone {
    /// UTC.
    pub const UTC: Self = Self(Tz::UTC);

    /// The name, such as `Europe/Berlin`.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The zone for calculations: chrono's `TimeZone` is implemented for it.
    pub const fn tz(self) -> Tz {
        self.0
    }

    /// The date that the zone's clocks show at an instant.
    ///
    /// ```
    /// # use crud_runtime::{column::TimeZone, prelude::*};
    /// let (berlin, night): (TimeZone, DateTime<Utc>) = ("Europe/Berlin".parse()?, "2026-11-28T23:30:00Z".parse().unwrap());
    /// assert_eq!(berlin.date(night).to_string(), "2026-11-29");
    /// # Ok::<(), crud_runtime::column::ColumnError>(())
    /// ```
    pub fn date(self, instant: DateTime<Utc>) -> NaiveDate {
        instant.with_timezone(&self.0).date_naive()
    }

    /// The first instant of a day, and that of the next one: 23, 24 or 25 hours later.
    ///
    /// ```
    /// # use crud_runtime::{column::TimeZone, prelude::*};
    /// let berlin: TimeZone = "Europe/Berlin".parse()?;
    /// let (start, end) = berlin.day(NaiveDate::from_ymd_opt(2027, 3, 28).unwrap());
    /// assert_eq!(end - start, TimeDelta::hours(23));
    /// # Ok::<(), crud_runtime::column::ColumnError>(())
    /// ```
    pub fn day(self, date: NaiveDate) -> (DateTime<Utc>, DateTime<Utc>) {
        day_bounds(date, &self.0)
    }
}

impl From<Tz> for TimeZone {
    fn from(zone: Tz) -> Self {
        Self(zone)
    }
}

impl FromStr for TimeZone {
    type Err = ColumnError;

    fn from_str(name: &str) -> Result<Self, ColumnError> {
        parse(name).map(Self).map_err(|detail| ColumnError::new(format!("must be a time zone: {detail}")))
    }
}

impl fmt::Display for TimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for TimeZone {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for TimeZone {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(|error: ColumnError| serde::de::Error::custom(error.message()))
    }
}

#[diagnostic::do_not_recommend]
impl Column for TimeZone {
    const KIND: Kind = Kind::Text;
    const SCHEMA: Option<&'static str> = Some(
        r#"{"title":"TimeZone","type":"string","description":"The name of a time zone in the IANA database.","examples":["Europe/Berlin"]}"#,
    );

    fn into_value(self) -> Value {
        Value::Text(self.name().to_owned())
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
        String::from_value(value)?.parse()
    }
}

#[diagnostic::do_not_recommend]
impl ComparableColumn for TimeZone {}
#[diagnostic::do_not_recommend]
impl ZoneColumn for TimeZone {}
