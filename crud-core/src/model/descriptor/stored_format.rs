//! [`StoredFormat`]: the spelling of stored values that another program chose.

use std::fmt::Write;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Timelike};

use crate::model::value::{Kind, Value};

/// Spelling of stored values where it is not the database's own: another program reads and writes them too.
///
/// ```
/// use crud_runtime::descriptor::StoredFormat;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Invoice {
///     id: i64,
///     #[crud(column(format = "%Y-%m-%d %H:%M:%S"))]
///     invoiced: NaiveDateTime,
/// }
///
/// assert_eq!(Invoice::DESCRIPTOR.columns[1].format, Some(StoredFormat::Pattern("%Y-%m-%d %H:%M:%S")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredFormat {
    /// A date or time as text by this [`chrono`](chrono::format::strftime) pattern; the texts sort as their values do.
    /// A final `%.f` is a fraction of six digits, or nothing where it is zero.
    Pattern(&'static str),
    /// A date and time as a whole number of seconds since 1970.
    Unix,
    /// A date and time as a whole number of milliseconds since 1970.
    UnixMillis,
    /// A UUID as hyphenated text in lower case.
    Lowercase,
    /// A UUID as hyphenated text in upper case.
    Uppercase,
    /// A UUID as its 32 digits in lower case.
    Simple,
    /// A UUID as its 16 bytes.
    Bytes,
    /// A decimal as a number, and not as a whole number of its last digit's units.
    Number,
}

/// The pattern item of an optional fraction.
const FRACTION: &str = "%.f";

impl StoredFormat {
    /// The format's name in the attribute.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pattern(pattern) => pattern,
            Self::Unix => "unix",
            Self::UnixMillis => "unix_millis",
            Self::Lowercase => "lowercase",
            Self::Uppercase => "uppercase",
            Self::Simple => "simple",
            Self::Bytes => "bytes",
            Self::Number => "number",
        }
    }

    /// The text of a date or time by a pattern; `None` for other values.
    #[doc(hidden)]
    pub fn text(pattern: &str, value: &Value) -> Option<String> {
        let (head, has_fraction) = split(pattern);
        let (formatted, nanoseconds) = match value {
            Value::DateTime(v) => (v.naive_utc().format(head), v.nanosecond()),
            Value::NaiveDateTime(v) => (v.format(head), v.nanosecond()),
            Value::Date(v) => (v.format(head), 0),
            Value::Time(v) => (v.format(head), v.nanosecond()),
            _ => return None,
        };
        let mut text = String::with_capacity(32);
        write!(text, "{formatted}").ok()?;
        let microseconds = nanoseconds / 1_000;
        if has_fraction && microseconds > 0 {
            write!(text, ".{microseconds:06}").ok()?;
        }
        Some(text)
    }

    /// The date or time of a text by a pattern, where the text is spelled as [`text`](Self::text) writes it.
    #[doc(hidden)]
    pub fn read(pattern: &str, kind: Kind, text: &str) -> Option<Value> {
        let value = parsed(pattern, kind, text)?;
        (Self::text(pattern, &value)? == text).then_some(value)
    }
}

/// Reads a date or time by a pattern, in any spelling that chrono accepts.
fn parsed(pattern: &str, kind: Kind, text: &str) -> Option<Value> {
    let instant = || -> Option<NaiveDateTime> {
        let read = NaiveDateTime::parse_from_str(text, pattern).ok();
        // A pattern may end with the date, the hour or the minute.
        read.or_else(|| {
            let padded = [" %H:%M:%S", " %M:%S", " %S"].into_iter().zip([" 00:00:00", " 00:00", " 00"]);
            padded.into_iter().find_map(|(more, zeros)| {
                NaiveDateTime::parse_from_str(&format!("{text}{zeros}"), &format!("{pattern}{more}")).ok()
            })
        })
    };
    match kind {
        Kind::DateTime => instant().map(|value| Value::DateTime(value.and_utc())),
        Kind::NaiveDateTime => instant().map(Value::NaiveDateTime),
        Kind::Date => NaiveDate::parse_from_str(text, pattern).ok().map(Value::Date),
        Kind::Time => NaiveTime::parse_from_str(text, pattern).ok().map(Value::Time),
        _ => None,
    }
}

/// The pattern without a final optional fraction, and whether it has one.
fn split(pattern: &str) -> (&str, bool) {
    pattern.strip_suffix(FRACTION).map_or((pattern, false), |head| (head, true))
}

impl StoredFormat {
    /// A time truncated to the precision of the format.
    #[doc(hidden)]
    pub fn truncated(self, kind: Kind, value: Value) -> Value {
        let count = |time: NaiveDateTime| self.from_unix(self.to_unix(time).0);
        match (self, &value) {
            (Self::Pattern(pattern), Value::DateTime(_) | Value::NaiveDateTime(_) | Value::Time(_)) => {
                Self::text(pattern, &value).and_then(|text| parsed(pattern, kind, &text)).unwrap_or(value)
            }
            (Self::Unix | Self::UnixMillis, Value::DateTime(time)) => {
                count(time.naive_utc()).map_or(value, |time| Value::DateTime(time.and_utc()))
            }
            (Self::Unix | Self::UnixMillis, Value::NaiveDateTime(time)) => {
                count(*time).map_or(value, Value::NaiveDateTime)
            }
            _ => value,
        }
    }

    /// The date and time of a stored count since 1970.
    #[doc(hidden)]
    pub fn from_unix(self, number: i64) -> Option<NaiveDateTime> {
        let time = match self {
            Self::UnixMillis => DateTime::from_timestamp_millis(number),
            _ => DateTime::from_timestamp(number, 0),
        };
        time.map(|time| time.naive_utc())
    }

    /// The stored count of a date and time, rounded down, and whether it is exact.
    #[doc(hidden)]
    pub fn to_unix(self, value: NaiveDateTime) -> (i64, bool) {
        let value = value.and_utc();
        match self {
            Self::UnixMillis => (value.timestamp_millis(), value.nanosecond().is_multiple_of(1_000_000)),
            _ => (value.timestamp(), value.nanosecond() == 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pattern: &str, kind: Kind, text: &str) -> Option<String> {
        StoredFormat::read(pattern, kind, text).map(|value| value.to_string())
    }

    #[test]
    fn pattern_reads_its_own_spelling_alone() {
        let seconds = "%Y-%m-%d %H:%M:%S";
        let of = |text| read(seconds, Kind::NaiveDateTime, text);
        assert_eq!(of("2021-01-31 23:59:59").as_deref(), Some("2021-01-31T23:59:59.000000"));
        for text in ["2021-01-31", "2021-1-31 23:59:59", "2021-01-31T23:59:59", "2021-01-31 23:59:59.5", ""] {
            assert_eq!(of(text), None, "{text}");
        }
        assert_eq!(read("%Y-%m-%d", Kind::DateTime, "2021-01-31").as_deref(), Some("2021-01-31T00:00:00.000000Z"));
        assert_eq!(read("%H:%M", Kind::Time, "23:59").as_deref(), Some("23:59:00.000000"));
        assert_eq!(read("%Y%m%d", Kind::Date, "20210131").as_deref(), Some("2021-01-31"));
    }

    #[test]
    fn fraction_at_the_end_may_be_absent() {
        let pattern = "%Y-%m-%d %H:%M:%S%.f";
        for text in ["2021-01-31 23:59:59", "2021-01-31 23:59:59.500000"] {
            let value = StoredFormat::read(pattern, Kind::NaiveDateTime, text).expect(text);
            assert_eq!(StoredFormat::text(pattern, &value).as_deref(), Some(text));
        }
        assert_eq!(read(pattern, Kind::NaiveDateTime, "2021-01-31 23:59:59.5"), None);
    }

    #[test]
    fn count_since_1970_is_rounded_down() {
        let moment = |text: &str| text.parse::<NaiveDateTime>().expect(text);
        assert_eq!(StoredFormat::Unix.to_unix(moment("1969-12-31T23:59:59.5")), (-1, false));
        assert_eq!(StoredFormat::UnixMillis.to_unix(moment("1970-01-01T00:00:00.001")), (1, true));
        assert_eq!(StoredFormat::Unix.from_unix(60), Some(moment("1970-01-01T00:01:00")));
    }
}
