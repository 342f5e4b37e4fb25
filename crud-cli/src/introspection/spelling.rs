//! [`Spelling`]: texts of dates and times, as programs write them to a database that has no type for them.

/// A spelling of dates and times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spelling {
    /// The field type of its values.
    pub(super) rust: &'static str,
    /// The pattern of `format`; `None` for the spelling of the service itself.
    pub(super) format: Option<&'static str>,
    /// The pattern of the texts.
    pattern: &'static str,
}

/// `2021-01-31`.
pub(super) const DATE: Spelling = own("NaiveDate", "%Y-%m-%d");
/// `23:59:59.000000`.
pub(super) const TIME: Spelling = own("NaiveTime", "%H:%M:%S%.6f");
/// `2021-01-31 23:59:59`, as `CURRENT_TIMESTAMP` of SQLite.
pub(super) const SECONDS: Spelling = other("NaiveDateTime", "%Y-%m-%d %H:%M:%S");

/// The known spellings. Where two match the same text, the more specific one comes first.
const SPELLINGS: &[Spelling] = &[
    DATE,
    TIME,
    own("NaiveDateTime", "%Y-%m-%dT%H:%M:%S%.6f"),
    own("DateTime<Utc>", "%Y-%m-%dT%H:%M:%S%.6fZ"),
    SECONDS,
    other("NaiveDateTime", "%Y-%m-%dT%H:%M:%S"),
    other("NaiveDateTime", "%Y-%m-%d %H:%M"),
    other("NaiveDateTime", "%Y-%m-%d %H:%M:%S%.3f"),
    other("NaiveDateTime", "%Y-%m-%dT%H:%M:%S%.3f"),
    other("NaiveDateTime", "%Y-%m-%d %H:%M:%S%.6f"),
    other("NaiveDateTime", "%Y-%m-%d %H:%M:%S%.f"),
    other("NaiveDateTime", "%Y-%m-%dT%H:%M:%S%.f"),
    other("DateTime<Utc>", "%Y-%m-%dT%H:%M:%SZ"),
    other("DateTime<Utc>", "%Y-%m-%dT%H:%M:%S%.3fZ"),
    other("DateTime<Utc>", "%Y-%m-%d %H:%M:%SZ"),
    other("DateTime<Utc>", "%Y-%m-%d %H:%M:%S+00:00"),
    other("DateTime<Utc>", "%Y-%m-%dT%H:%M:%S+00:00"),
    other("DateTime<Utc>", "%Y-%m-%d %H:%M:%S UTC"),
    other("NaiveTime", "%H:%M:%S"),
    other("NaiveTime", "%H:%M"),
    other("NaiveDate", "%Y%m%d"),
    other("NaiveDate", "%Y/%m/%d"),
];

const fn own(rust: &'static str, pattern: &'static str) -> Spelling {
    Spelling { rust, format: None, pattern }
}

const fn other(rust: &'static str, pattern: &'static str) -> Spelling {
    Spelling { rust, format: Some(pattern), pattern }
}

/// The spelling that all of these texts have.
pub(super) fn of_texts(texts: &[&str]) -> Option<Spelling> {
    SPELLINGS.iter().find(|spelling| texts.iter().all(|text| has(spelling.pattern, text))).copied()
}

/// Whether a text matches a pattern, with the full number of digits in each item.
fn has(pattern: &str, text: &str) -> bool {
    let mut rest = text;
    let mut items = pattern;
    while let Some(letter) = items.chars().next() {
        let (matched, length) = match items {
            _ if items.starts_with("%.f") => (fraction(rest, None), 3),
            _ if items.starts_with("%.3f") => (fraction(rest, Some(3)), 4),
            _ if items.starts_with("%.6f") => (fraction(rest, Some(6)), 4),
            _ if items.starts_with("%Y") => (number(rest, 4, 0..=9999), 2),
            _ if items.starts_with("%m") => (number(rest, 2, 1..=12), 2),
            _ if items.starts_with("%d") => (number(rest, 2, 1..=31), 2),
            _ if items.starts_with("%H") => (number(rest, 2, 0..=23), 2),
            _ if items.starts_with("%M") || items.starts_with("%S") => (number(rest, 2, 0..=59), 2),
            _ => (rest.strip_prefix(letter), letter.len_utf8()),
        };
        let Some(after) = matched else { return false };
        (rest, items) = (after, &items[length..]);
    }
    rest.is_empty()
}

/// The text after a number of `digits` digits, if it begins with one.
fn number(text: &str, digits: usize, range: std::ops::RangeInclusive<u32>) -> Option<&str> {
    let (number, rest) = text.split_at_checked(digits)?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && range.contains(&number.parse().ok()?)).then_some(rest)
}

/// The text after a fraction of `digits` digits. `None` means six digits, or no fraction where it is zero.
fn fraction(text: &str, digits: Option<usize>) -> Option<&str> {
    let Some(after) = text.strip_prefix('.') else { return digits.is_none().then_some(text) };
    let rest = number(after, digits.unwrap_or(6), 0..=999_999)?;
    (digits.is_some() || !after.starts_with("000000")).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(texts: &[&str]) -> Option<&'static str> {
        of_texts(texts).map(|spelling| spelling.pattern)
    }

    #[test]
    fn a_spelling_has_all_texts() {
        for (texts, expected) in [
            (&["2021-01-31"][..], Some("%Y-%m-%d")),
            (&["2021-01-31 23:59:59"], Some("%Y-%m-%d %H:%M:%S")),
            (&["2021-01-31 23:59:59", "2021-01-31 23:59:59.250000"], Some("%Y-%m-%d %H:%M:%S%.f")),
            (&["2021-01-31 23:59:59.250"], Some("%Y-%m-%d %H:%M:%S%.3f")),
            (&["2021-01-31T23:59:59Z"], Some("%Y-%m-%dT%H:%M:%SZ")),
            (&["2021-01-31T23:59:59.000000Z"], Some("%Y-%m-%dT%H:%M:%S%.6fZ")),
            (&["2021-01-31", "2021-01-31 23:59:59"], None),
            (&["2021-13-31"], None),
            (&["31.01.2021"], None),
            (&[""], None),
        ] {
            assert_eq!(pattern(texts), expected, "{texts:?}");
        }
    }
}
