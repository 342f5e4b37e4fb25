//! [`Position`]: where a request resumes.

use crud_runtime::axum::http::HeaderMap;
use crud_runtime::error::{FieldError, Problem};

/// The number after which a request resumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// From now on.
    Now,
    /// After this number.
    After(i64),
    /// After an id that is not from this database: the client lists the records again.
    Foreign,
}

impl Position {
    /// The position of a request. The header wins, which a browser sends when it reconnects; else the parameter.
    ///
    /// # Errors
    /// `validation_failed` for a parameter that is not a number.
    pub(super) fn of(headers: &HeaderMap, parameter: Option<&str>) -> Result<Self, Problem> {
        if let Some(header) = headers.get("last-event-id") {
            let number = header.to_str().ok().and_then(number);
            return Ok(number.map_or(Self::Foreign, Self::After));
        }
        let Some(text) = parameter else { return Ok(Self::Now) };
        let refused = || Problem::validation([FieldError::parameter("after", "type", "must be the id of an event")]);
        number(text).map(Self::After).ok_or_else(refused)
    }
}

fn number(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.len() <= 19 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_header_is_a_foreign_position_and_wins() {
        for text in ["", "-1", "4711; drop", "99999999999999999999", "0x10", "１", "NaN", "\u{0}"] {
            let mut headers = HeaderMap::new();
            let Ok(value) = crud_runtime::axum::http::HeaderValue::from_bytes(text.as_bytes()) else { continue };
            headers.insert("last-event-id", value);
            assert_eq!(Position::of(&headers, Some("7")).unwrap(), Position::Foreign, "{text}");
        }
    }

    #[test]
    fn parameter_is_a_number_or_refused() {
        let headers = HeaderMap::new();
        assert_eq!(Position::of(&headers, Some("0")).unwrap(), Position::After(0));
        assert_eq!(Position::of(&headers, None).unwrap(), Position::Now);
        assert!(Position::of(&headers, Some("seven")).is_err() && Position::of(&headers, Some("-7")).is_err());
    }
}
