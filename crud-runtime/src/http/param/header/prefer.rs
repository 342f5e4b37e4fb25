//! The `Prefer` header (RFC 7240).

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;
use crate::model::descriptor::Count;

static PREFER: HeaderName = HeaderName::from_static("prefer");
static PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The preferences that the service knows. Others are ignored, as RFC 7240 requires.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Prefer {
    /// `return=minimal`: no body.
    pub(crate) minimal: bool,
    /// `count=exact`, `count=capped`, `count=none`: how precise the total of a list is.
    pub(crate) count: Option<PreferredCount>,
    /// `handling=lenient`: unknown parameters are ignored.
    pub(crate) lenient: bool,
}

/// The preferences about a list in the document.
pub(crate) fn document_list() -> ParameterObject {
    let description = "`count=capped` counts up to a limit and `count=none` not at all, never more precisely than the \
                       resource does; `handling=lenient` ignores unknown parameters (RFC 7240).";
    ParameterObject::header("PreferList", "Prefer", description, Schema::text())
}

/// The preferences about a change in the document.
pub(crate) fn document_change() -> ParameterObject {
    let description = "`return=minimal` asks for a response without a body (RFC 7240).";
    ParameterObject::header("PreferChange", "Prefer", description, Schema::text())
}

/// Precision of a list's total that a client prefers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PreferredCount {
    Exact,
    Capped,
    None,
}

/// The cap of a count where the resource declares none.
const CAP: u32 = 10_000;

impl Prefer {
    /// The precision of a list's total, where its resource declares `declared`, and the preference that was applied. A
    /// preference for more than is declared is not applied.
    pub(crate) fn count(self, declared: Count) -> (Count, Option<&'static str>) {
        match (self.count, declared) {
            (Some(PreferredCount::None), _) => (Count::None, Some("count=none")),
            (Some(PreferredCount::Capped), Count::Exact) => (Count::Capped(CAP), Some("count=capped")),
            (Some(PreferredCount::Capped), Count::Capped(_)) => (declared, Some("count=capped")),
            (Some(PreferredCount::Exact), Count::Exact) => (declared, Some("count=exact")),
            (Some(PreferredCount::Capped | PreferredCount::Exact) | None, _) => (declared, None),
        }
    }

    /// Parses the header. The first of two equal preferences counts (section 2).
    pub(crate) fn parse(headers: &HeaderMap) -> Self {
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
        let count = match count {
            Some("exact") => Some(PreferredCount::Exact),
            Some("capped") => Some(PreferredCount::Capped),
            Some("none") => Some(PreferredCount::None),
            _ => None,
        };
        Self { minimal: returns == Some("minimal"), count, lenient: handling == Some("lenient") }
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
        let all = Prefer { minimal: true, count: Some(PreferredCount::None), lenient: true };
        assert_eq!(prefer("Return=minimal; foo=bar, count=\"none\" , handling = lenient"), all);
        assert_eq!(prefer("respond-async, wait=10"), Prefer::default());
    }

    #[test]
    fn the_first_of_two_equal_preferences_counts() {
        assert_eq!(prefer("return=representation, return=minimal"), Prefer::default());
    }

    #[test]
    fn a_preference_lowers_the_declared_precision_and_never_raises_it() {
        for (value, declared, expected) in [
            ("", Count::Exact, (Count::Exact, None)),
            ("count=exact", Count::Exact, (Count::Exact, Some("count=exact"))),
            ("count=capped", Count::Exact, (Count::Capped(CAP), Some("count=capped"))),
            ("count=none", Count::Exact, (Count::None, Some("count=none"))),
            ("count=exact", Count::Capped(7), (Count::Capped(7), None)),
            ("count=capped", Count::Capped(7), (Count::Capped(7), Some("count=capped"))),
            ("count=none", Count::Capped(7), (Count::None, Some("count=none"))),
            ("count=exact", Count::None, (Count::None, None)),
            ("count=capped", Count::None, (Count::None, None)),
            ("count=none", Count::None, (Count::None, Some("count=none"))),
            ("count=planned", Count::Exact, (Count::Exact, None)),
        ] {
            assert_eq!(prefer(value).count(declared), expected, "{value}");
        }
    }
}
