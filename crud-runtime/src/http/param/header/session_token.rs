//! The session token: storage's position after a change, which the client sends with later reads.

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;
use crate::model::problem::{FieldError, Problem};
use crate::storage::position::Position;

pub(crate) static X_SESSION_TOKEN: HeaderName = HeaderName::from_static("x-session-token");

/// The length of a token, in hexadecimal digits.
const LENGTH: usize = 24;

/// The length of a token without a timeline, as earlier versions issued them.
const SHORT: usize = 16;

/// The token of a position.
pub(crate) fn header_value(position: Position) -> HeaderValue {
    let text = format!("{:0LENGTH$x}", position.get());
    HeaderValue::from_str(&text).expect("digits make a header")
}

/// The latest position among a request's tokens. A client that writes concurrently has several.
///
/// # Errors
/// `validation_failed` when one is not a token: if it were ignored, the client would rely on a guarantee that it does
/// not have.
pub(crate) fn latest(headers: &HeaderMap) -> Result<Position, Problem> {
    let mut latest = Position::START;
    for value in headers.get_all(&X_SESSION_TOKEN) {
        let tokens = value.to_str().map_err(|_| invalid())?;
        for token in tokens.split(',') {
            latest = latest.max(parse(token.trim()).ok_or_else(invalid)?);
        }
    }
    Ok(latest)
}

/// The header in the document.
pub(crate) fn document() -> ParameterObject {
    let description = "The session token of the last change, or of several separated by commas: the response shows these \
                       changes.";
    ParameterObject::header("SessionToken", "X-Session-Token", description, Schema::text())
}

fn parse(token: &str) -> Option<Position> {
    let is_token = matches!(token.len(), LENGTH | SHORT) && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    u128::from_str_radix(token, 16).ok().filter(|_| is_token).map(Position::new)
}

fn invalid() -> Problem {
    let detail = "must be the token of a response, or several separated by commas";
    Problem::validation([FieldError::parameter(X_SESSION_TOKEN.as_str(), "type", detail)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latest_of(values: &[&'static str]) -> Option<u128> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(&X_SESSION_TOKEN, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        latest(&headers).ok().map(Position::get)
    }

    #[test]
    fn tokens_round_trip() {
        for position in [0_u128, 1, 0x1234_5678_9abc, (7 << 64) + 5] {
            let mut headers = HeaderMap::new();
            headers.insert(&X_SESSION_TOKEN, header_value(Position::new(position)));
            assert_eq!(latest(&headers).unwrap().get(), position);
        }
    }

    #[test]
    fn the_latest_of_several_tokens_counts() {
        assert_eq!(latest_of(&[]), Some(0));
        assert_eq!(latest_of(&["000000000000000a", "000000000000000c, 000000000000000b"]), Some(12));
    }

    #[test]
    fn malformed_tokens_are_refused() {
        for bad in ["", "a", "+00000000000000a", "000000000000000g", "000000000000000a,", "0/1A2B3C", "é"] {
            assert_eq!(latest_of(&[bad]), None, "{bad}");
        }
    }
}
