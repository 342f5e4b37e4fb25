//! [`Deprecation`]: the dates of a deprecation, and a page about it.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};

/// The deprecation of a resource or a route: the day since which it is deprecated (RFC 9745), the day from which it may be gone
/// (RFC 8594), and a page about it.
///
/// ```
/// use crud_runtime::descriptor::Deprecation;
///
/// const OLD: Deprecation =
///     Deprecation::new().since("2026-01-01").sunset("2026-12-31").link("https://example.com/changes");
/// assert_eq!(OLD.sunset.unwrap().to_string(), "2026-12-31");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deprecation {
    /// The day since which clients should not use it.
    pub since: Option<NaiveDate>,
    /// The day from which the resource or route may be gone.
    pub sunset: Option<NaiveDate>,
    /// The URL of a page about the deprecation.
    pub link: Option<&'static str>,
}

impl Deprecation {
    /// Deprecated, without a day or a page.
    #[must_use]
    pub const fn new() -> Self {
        Self { since: None, sunset: None, link: None }
    }

    /// Sets the day since which clients should not use it, such as `2026-01-01`.
    ///
    /// # Panics
    /// When the day is not a date; in a constant, this is a compile error.
    #[must_use]
    pub const fn since(self, day: &str) -> Self {
        Self { since: Some(date(day)), ..self }
    }

    /// Sets the day from which the resource or route may be gone, such as `2026-12-31`.
    ///
    /// # Panics
    /// When the day is not a date; in a constant, this is a compile error.
    #[must_use]
    pub const fn sunset(self, day: &str) -> Self {
        Self { sunset: Some(date(day)), ..self }
    }

    /// Sets the URL of a page about the deprecation.
    #[must_use]
    pub const fn link(self, url: &'static str) -> Self {
        Self { link: Some(url), ..self }
    }

    /// The beginning of a day in UTC.
    #[doc(hidden)]
    #[must_use]
    pub const fn instant(day: NaiveDate) -> DateTime<Utc> {
        day.and_time(NaiveTime::MIN).and_utc()
    }
}

const fn date(text: &str) -> NaiveDate {
    let text = text.as_bytes();
    assert!(text.len() == 10 && text[4] == b'-' && text[7] == b'-', "expected a date such as `2026-12-31`");
    let year = number(text, 0, 4);
    match NaiveDate::from_ymd_opt(year.cast_signed(), number(text, 5, 7), number(text, 8, 10)) {
        Some(date) => date,
        None => panic!("expected a date such as `2026-12-31`"),
    }
}

const fn number(text: &[u8], mut from: usize, to: usize) -> u32 {
    let mut number = 0;
    while from < to {
        assert!(text[from].is_ascii_digit(), "expected a date such as `2026-12-31`");
        number = number * 10 + (text[from] - b'0') as u32;
        from += 1;
    }
    number
}
