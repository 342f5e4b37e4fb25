//! Deprecations: their days and their links.

use crate::attr::Spanned;
use crate::attr::deprecated::Deprecation;
use crate::ctxt::Ctxt;

/// Checks that the days of a deprecation are dates. A malformed part is reported and left out.
pub(super) fn option(attribute: Option<Deprecation>, cx: &Ctxt) -> Option<Deprecation> {
    let Deprecation { since, sunset, link } = attribute?;
    let day = |day: Option<Spanned<String>>, key: &str| {
        let day = day?;
        let is_date = is_date(&day.value);
        if !is_date {
            cx.error(day.span, format_args!("expected a date: `{key} = \"2026-12-31\"`"));
        }
        is_date.then_some(day)
    };
    let (since, sunset) = (day(since, "since"), day(sunset, "sunset"));
    if let (Some(since), Some(sunset)) = (&since, &sunset)
        && sunset.value < since.value
    {
        cx.error(sunset.span, format_args!("`sunset` is before `since`: expected `{}` or later", since.value));
    }
    let is_url = |link: &Spanned<String>| {
        let is_legal = |c: char| c.is_ascii_graphic() && !"<>\"".contains(c);
        ["https://", "http://", "/"].iter().any(|start| link.value.starts_with(start))
            && link.value.chars().all(is_legal)
    };
    if let Some(link) = link.as_ref().filter(|link| !is_url(link)) {
        cx.error(link.span, "expected a URL: `link = \"https://example.com/changes\"`");
    }
    Some(Deprecation { since, sunset, link: link.filter(is_url) })
}

/// Whether a text is a date such as `2026-12-31`.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let number = |part: &str, digits: usize| {
        let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse::<u32>().ok()).flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::is_date;

    #[test]
    fn dates_are_days_of_the_calendar() {
        assert!(is_date("2026-12-31") && is_date("2024-02-29"));
        for text in ["2026-02-29", "2026-13-01", "2026-1-01", "2026-00-10", "31.12.2026", "2026-12-31T00"] {
            assert!(!is_date(text), "{text}");
        }
    }
}
