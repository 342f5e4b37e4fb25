//! The one text form of dates, times and UUIDs, in JSON, in query strings and in storage that keeps
//! them as text: fixed width, so that it sorts as text the way the values do.
//!
//! | Kind | Form |
//! |---|---|
//! | date and time | `2026-01-31T23:59:59.000000Z` (RFC 3339, UTC) |
//! | date | `2026-01-31` |
//! | time | `23:59:59.000000` |
//! | date and time without zone | `2026-01-31T23:59:59.000000` |
//! | UUID | lower case, hyphenated (RFC 9562) |
//!
//! Parsing accepts more: any RFC 3339 offset, and any number of fractional digits. Storage keeps microseconds: a value
//! with a finer fraction is refused, not rounded.

use std::fmt::Write;
use std::ops::Range;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, Timelike, Utc};
use uuid::Uuid;

use super::column_error::ColumnError;

const NOT_A_DATE_TIME: &str = "must be a date and time such as 2026-01-31T23:59:59Z";
const NOT_A_DATE: &str = "must be a date such as 2026-01-31";
const NOT_A_TIME: &str = "must be a time such as 23:59:59";
const NOT_A_NAIVE_DATE_TIME: &str = "must be a date and time without a zone, such as 2026-01-31T23:59:59";
const NOT_A_UUID: &str = "must be a UUID such as 0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f";

/// Whether a date has the form of fixed width: within the years 0 to 9999.
pub fn has_canonical_text(date: NaiveDate) -> bool {
    (0..=9999).contains(&date.year())
}

/// Reads an RFC 3339 date and time of any offset.
///
/// # Errors
/// When the text has another form, names a leap second, leaves the years 0 to 9999 in UTC, or is finer than a
/// microsecond.
pub fn parse_date_time(text: &str) -> Result<DateTime<Utc>, ColumnError> {
    // chrono accepts a space for the `T`, which RFC 3339 leaves to agreement.
    if !matches!(text.as_bytes().get(10), Some(b'T' | b't')) {
        return Err(ColumnError::new(NOT_A_DATE_TIME));
    }
    let value = DateTime::parse_from_rfc3339(text).map_err(|_| ColumnError::new(NOT_A_DATE_TIME))?;
    let value = value.with_timezone(&Utc);
    if !has_canonical_text(value.date_naive()) {
        return Err(ColumnError::new("must be within the years 0000 to 9999 in UTC"));
    }
    whole_microseconds(value.time()).map(|()| value)
}

/// Reads a date, `YYYY-MM-DD`.
///
/// # Errors
/// When the text has another form.
pub fn parse_date(text: &str) -> Result<NaiveDate, ColumnError> {
    digits_at(text, "0000-00-00")
        .then(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok())
        .flatten()
        .ok_or_else(|| ColumnError::new(NOT_A_DATE))
}

/// Reads a time of day, `HH:MM:SS` with an optional fraction.
///
/// # Errors
/// When the text has another form, or is finer than a microsecond.
pub fn parse_time(text: &str) -> Result<NaiveTime, ColumnError> {
    let value = text
        .get(..8)
        .is_some_and(|head| digits_at(head, "00:00:00"))
        .then(|| NaiveTime::parse_from_str(text, "%H:%M:%S%.f").ok())
        .flatten()
        .filter(|_| !text.ends_with('.'))
        .ok_or_else(|| ColumnError::new(NOT_A_TIME))?;
    whole_microseconds(value).map(|()| value)
}

/// Reads a date and time of day without a zone, `YYYY-MM-DDTHH:MM:SS` with an optional fraction.
///
/// # Errors
/// When the text has another form, or is finer than a microsecond.
pub fn parse_naive_date_time(text: &str) -> Result<NaiveDateTime, ColumnError> {
    let wrong = || ColumnError::new(NOT_A_NAIVE_DATE_TIME);
    let (date, time) = text.split_once('T').ok_or_else(wrong)?;
    let date = parse_date(date).map_err(|_| wrong())?;
    match parse_time(time) {
        Ok(time) => Ok(date.and_time(time)),
        Err(error) if error.message() == NOT_A_TIME => Err(wrong()),
        Err(error) => Err(error),
    }
}

/// Reads a hyphenated UUID of either case.
///
/// # Errors
/// When the text has another form.
pub fn parse_uuid(text: &str) -> Result<Uuid, ColumnError> {
    // The parser also accepts braces, URNs and bare digits: here a value has one form.
    (text.len() == 36).then(|| Uuid::try_parse(text).ok()).flatten().ok_or_else(|| ColumnError::new(NOT_A_UUID))
}

/// Whether a text matches a template of the same length: a digit for each `0`, and otherwise the template's characters.
fn digits_at(text: &str, template: &str) -> bool {
    text.len() == template.len()
        && text.bytes().zip(template.bytes()).all(|(byte, expected)| match expected {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        })
}

fn whole_microseconds(time: NaiveTime) -> Result<(), ColumnError> {
    match time.nanosecond() {
        n if n >= 1_000_000_000 => Err(ColumnError::new("must not be a leap second")),
        n if n % 1_000 != 0 => Err(ColumnError::new("must have at most six fractional digits")),
        _ => Ok(()),
    }
}

/// Writes the canonical text of an instant.
///
/// # Errors
/// Errors of the writer.
pub fn write_date_time(out: &mut impl Write, value: &DateTime<Utc>) -> std::fmt::Result {
    write_naive_date_time(out, &value.naive_utc())?;
    out.write_char('Z')
}

/// Writes the canonical text of a date and time without a zone.
///
/// # Errors
/// Errors of the writer.
pub fn write_naive_date_time(out: &mut impl Write, value: &NaiveDateTime) -> std::fmt::Result {
    write_date(out, &value.date())?;
    out.write_char('T')?;
    write_time(out, &value.time())
}

/// Writes the canonical text of a date.
///
/// # Errors
/// Errors of the writer.
pub fn write_date(out: &mut impl Write, value: &NaiveDate) -> std::fmt::Result {
    let (year, month, day) = (value.year(), value.month(), value.day());
    match u32::try_from(year) {
        Ok(year @ 0..=9_999) => write_digits(out, *b"0000-00-00", [(0..4, year), (5..7, month), (8..10, day)]),
        _ => write!(out, "{year:04}-{month:02}-{day:02}"),
    }
}

/// Writes the canonical text of a time of day.
///
/// # Errors
/// Errors of the writer.
pub fn write_time(out: &mut impl Write, value: &NaiveTime) -> std::fmt::Result {
    let (hour, minute, second, micros) = (value.hour(), value.minute(), value.second(), value.nanosecond() / 1_000);
    if micros > 999_999 {
        return write!(out, "{hour:02}:{minute:02}:{second:02}.{micros:06}");
    }
    let numbers = [(0..2, hour), (3..5, minute), (6..8, second), (9..15, micros)];
    write_digits(out, *b"00:00:00.000000", numbers)
}

/// Writes a template with zero-padded numbers in these ranges; faster than `write!`, which matters because every record
/// of a list has such texts.
fn write_digits<const LENGTH: usize, const NUMBERS: usize>(
    out: &mut impl Write,
    mut text: [u8; LENGTH],
    numbers: [(Range<usize>, u32); NUMBERS],
) -> std::fmt::Result {
    for (range, mut number) in numbers {
        for digit in text[range].iter_mut().rev() {
            *digit = b"0123456789"[(number % 10) as usize];
            number /= 10;
        }
    }
    out.write_str(std::str::from_utf8(&text).map_err(|_| std::fmt::Error)?)
}

/// The time of a change, to the microsecond that storage keeps: the current time, but later than every time returned
/// before, even when the clock is set back. So times tell changes apart.
pub fn stamp() -> DateTime<Utc> {
    static LAST: AtomicI64 = AtomicI64::new(i64::MIN);
    let now = Utc::now().timestamp_micros();
    let after = |last: i64| now.max(last.saturating_add(1));
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(after(last)));
    DateTime::from_timestamp_micros(last.map_or(now, after)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> Result<String, String> {
        let value = parse_date_time(text).map_err(|e| e.message().to_owned())?;
        let mut out = String::new();
        write_date_time(&mut out, &value).unwrap();
        Ok(out)
    }

    #[test]
    fn any_offset_becomes_utc_with_six_digits() {
        assert_eq!(canonical("2026-01-31T23:59:59Z").unwrap(), "2026-01-31T23:59:59.000000Z");
        assert_eq!(canonical("2026-01-31t23:59:59.5+02:00").unwrap(), "2026-01-31T21:59:59.500000Z");
        assert_eq!(canonical("0000-01-01T00:00:00Z").unwrap(), "0000-01-01T00:00:00.000000Z");
    }

    #[test]
    fn out_of_range_years_and_leap_seconds_are_written_in_full() {
        let written = |year, micros| {
            let date = NaiveDate::from_ymd_opt(year, 1, 31).unwrap();
            let mut out = String::new();
            let value = date.and_time(NaiveTime::from_hms_micro_opt(23, 59, 59, micros).unwrap());
            write_naive_date_time(&mut out, &value).unwrap();
            out
        };
        assert_eq!(written(9_999, 42), "9999-01-31T23:59:59.000042");
        assert_eq!(written(10_000, 0), "10000-01-31T23:59:59.000000");
        assert_eq!(written(-1, 0), "-001-01-31T23:59:59.000000");
        assert_eq!(written(2016, 1_500_000), "2016-01-31T23:59:59.1500000", "a leap second");
    }

    #[test]
    fn more_than_microseconds_is_refused() {
        assert_eq!(canonical("2026-01-31T23:59:59.123456000Z").unwrap(), "2026-01-31T23:59:59.123456Z");
        assert_eq!(canonical("2026-01-31T23:59:59.1234567Z").unwrap_err(), "must have at most six fractional digits");
        assert_eq!(canonical("2016-12-31T23:59:60Z").unwrap_err(), "must not be a leap second");
        assert!(canonical("0000-01-01T00:00:00+00:01").is_err());
        assert!(canonical("9999-12-31T23:59:59-00:01").is_err());
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "",
            "2026-01-31",
            "2026-01-31 23:59:59Z",
            "2026-1-31T23:59:59Z",
            "2026-01-31T23:59:59",
            "2026-02-30T00:00:00Z",
        ] {
            assert!(canonical(text).is_err(), "{text}");
        }
        for text in ["2026-1-1", "2026-02-30", "+026-01-01", "２026-01-01"] {
            assert!(parse_date(text).is_err(), "{text}");
        }
        for text in ["1:00:00", "24:00:00", "00:00:00.", "00:00", "00:00:00Z"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
        for text in ["0192f0c17a5b7c3d8e4f5a6b7c8d9e0f", "{0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f}", ""] {
            assert!(parse_uuid(text).is_err(), "{text}");
        }
    }
}
