//! The `Prefer` header (RFC 7240).

use axum::http::{HeaderMap, HeaderName, HeaderValue};

static PREFER: HeaderName = HeaderName::from_static("prefer");
static PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The preferences that the service knows. Others are ignored, as RFC 7240 requires.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Prefer {
    /// `return=minimal`: no body.
    pub(crate) minimal: bool,
    /// `count=none`: no total.
    pub(crate) no_count: bool,
    /// `handling=lenient`: unknown parameters are ignored.
    pub(crate) lenient: bool,
}

impl Prefer {
    /// Parses the header. The first of two equal preferences counts (section 2).
    pub(crate) fn parse(headers: &HeaderMap) -> Self {
        let mut prefer = Self::default();
        let (mut returns, mut count, mut handling) = (None, None, None);
        let values = headers.get_all(&PREFER).iter().filter_map(|value| value.to_str().ok());
        for preference in values.flat_map(|value| value.split(',')) {
            let preference = preference.split(';').next().unwrap_or_default();
            let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
            let value = value.trim().trim_matches('"');
            let slot = match name.trim() {
                name if name.eq_ignore_ascii_case("return") => &mut returns,
                name if name.eq_ignore_ascii_case("count") => &mut count,
                name if name.eq_ignore_ascii_case("handling") => &mut handling,
                _ => continue,
            };
            slot.get_or_insert(value);
        }
        prefer.minimal = returns == Some("minimal");
        prefer.no_count = count == Some("none");
        prefer.lenient = handling == Some("lenient");
        prefer
    }

    /// Adds `Preference-Applied` to a response.
    pub(crate) fn applied(headers: &mut HeaderMap, preference: &'static str) {
        headers.append(&PREFERENCE_APPLIED, HeaderValue::from_static(preference));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefer(value: &'static str) -> Prefer {
        let mut headers = HeaderMap::new();
        headers.insert(&PREFER, HeaderValue::from_static(value));
        Prefer::parse(&headers)
    }

    #[test]
    fn preferences_may_have_parameters_quotes_and_any_case() {
        let all = Prefer { minimal: true, no_count: true, lenient: true };
        assert_eq!(prefer("Return=minimal; foo=bar, count=\"none\" , handling = lenient"), all);
        assert_eq!(prefer("respond-async, wait=10"), Prefer::default());
    }

    #[test]
    fn the_first_of_two_equal_preferences_counts() {
        assert_eq!(prefer("return=representation, return=minimal"), Prefer::default());
    }
}
