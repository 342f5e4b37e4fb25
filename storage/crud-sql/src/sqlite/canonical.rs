//! Dates, times and UUIDs as stored text: recognizing the canonical form, and reading others.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Timelike, Utc};
use uuid::Uuid;

use crate::model::column_error::ColumnError;
use crate::model::text;
use crate::model::value::{Kind, ValueRef};

/// The stored text of a date, time or UUID as a value.
///
/// Text that this crate stores is canonical, and passes through unchanged. Tables that were made elsewhere can hold
/// other forms, such as those of SQLite's functions.
///
/// # Errors
/// When the text is ambiguous or invalid.
pub(super) fn value(kind: Kind, text: &str) -> Result<ValueRef<'_>, ColumnError> {
    if is_canonical(kind, text.as_bytes()) {
        return Ok(ValueRef::Canonical(text));
    }
    match kind {
        Kind::DateTime => date_time(text).map(ValueRef::DateTime),
        Kind::NaiveDateTime => naive_date_time(text).map(ValueRef::NaiveDateTime),
        Kind::Time => time(text).map(ValueRef::Time),
        Kind::Date => text::parse_date(text).ok().map(ValueRef::Date),
        _ => Uuid::try_parse(text).ok().map(ValueRef::Uuid),
    }
    .ok_or_else(|| ColumnError::new(format!("must not be {text:?}")))
}

/// Whether the text is the canonical form of a value of the kind.
fn is_canonical(kind: Kind, text: &[u8]) -> bool {
    match kind {
        Kind::DateTime => text.len() == 27 && text[26] == b'Z' && is_naive_date_time(&text[..26]),
        Kind::NaiveDateTime => is_naive_date_time(text),
        Kind::Date => is_date(text),
        Kind::Time => is_time(text),
        _ => is_uuid(text),
    }
}

fn is_naive_date_time(text: &[u8]) -> bool {
    text.len() == 26 && text[10] == b'T' && is_date(&text[..10]) && is_time(&text[11..])
}

fn is_date(text: &[u8]) -> bool {
    if text.len() != 10 || text[4] != b'-' || text[7] != b'-' {
        return false;
    }
    let (Some(century), Some(year)) = (two_digits(text, 0), two_digits(text, 2)) else { return false };
    let (Some(month), Some(day)) = (two_digits(text, 5), two_digits(text, 8)) else { return false };
    let leap = if year == 0 { century % 4 == 0 } else { year % 4 == 0 };
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_time(text: &[u8]) -> bool {
    text.len() == 15
        && text[2] == b':'
        && text[5] == b':'
        && text[8] == b'.'
        && two_digits(text, 0).is_some_and(|hour| hour < 24)
        && two_digits(text, 3).is_some_and(|minute| minute < 60)
        && two_digits(text, 6).is_some_and(|second| second < 60)
        && text[9..].iter().all(u8::is_ascii_digit)
}

fn two_digits(text: &[u8], at: usize) -> Option<u8> {
    let (tens, ones) = (text[at].wrapping_sub(b'0'), text[at + 1].wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then(|| tens * 10 + ones)
}

fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(position, byte)| match position {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        })
}

/// Any RFC 3339 text. A space may replace the `T`; without an offset, the time is in UTC, as in SQLite's functions.
fn date_time(text: &str) -> Option<DateTime<Utc>> {
    match DateTime::parse_from_rfc3339(text) {
        Ok(value) => microseconds(value.naive_utc()).map(|value| value.and_utc()),
        Err(_) => naive_date_time(text).map(|value| value.and_utc()),
    }
}

fn naive_date_time(text: &str) -> Option<NaiveDateTime> {
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', ' '])?;
    Some(text::parse_date(date).ok()?.and_time(time(rest)?))
}

/// `HH:MM` or `HH:MM:SS`, with or without a fraction, which is cut off to the microsecond.
fn time(text: &str) -> Option<NaiveTime> {
    let shape = |template: &str| {
        text.len() >= template.len()
            && text
                .bytes()
                .zip(template.bytes())
                .all(|(byte, t)| if t == b'0' { byte.is_ascii_digit() } else { byte == t })
    };
    let format = match text.len() {
        5 if shape("00:00") => "%H:%M",
        8 if shape("00:00:00") => "%H:%M:%S",
        10.. if shape("00:00:00.0") => "%H:%M:%S%.f",
        _ => return None,
    };
    let value = NaiveTime::parse_from_str(text, format).ok()?;
    microseconds(NaiveDate::MIN.and_time(value)).map(|value| value.time())
}

/// The value, cut off to the microsecond; `None` for a leap second, and for a year that canonical texts cannot have.
fn microseconds(value: NaiveDateTime) -> Option<NaiveDateTime> {
    let nanoseconds = value.nanosecond();
    (nanoseconds < 1_000_000_000).then(|| value.with_nanosecond(nanoseconds / 1_000 * 1_000)).flatten()
}
