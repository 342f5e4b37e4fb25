//! The session token: what a client has to see, as it carries it from an answer to the next request.

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::model::problem::{FieldError, Problem};
use crate::storage::position::Position;

pub(crate) static X_SESSION_TOKEN: HeaderName = HeaderName::from_static("x-session-token");

/// How long a token is.
const LENGTH: usize = 16;

/// The token of a position.
pub(crate) fn write(position: Position) -> HeaderValue {
    let text = format!("{:0LENGTH$x}", position.get());
    HeaderValue::from_str(&text).expect("digits make a header")
}

/// What a request's client has seen: the latest of its tokens. Somebody who writes several things at once has
/// several.
///
/// # Errors
/// When one is no token: a client that believes to be safe by it is not.
pub(crate) fn of(headers: &HeaderMap) -> Result<Position, Problem> {
    let mut seen = Position::START;
    for value in headers.get_all(&X_SESSION_TOKEN) {
        let tokens = value.to_str().map_err(|_| refusal())?;
        for token in tokens.split(',') {
            seen = seen.max(read(token.trim()).ok_or_else(refusal)?);
        }
    }
    Ok(seen)
}

fn read(token: &str) -> Option<Position> {
    let is_token = token.len() == LENGTH && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(token, 16).ok().filter(|_| is_token).map(Position::new)
}

fn refusal() -> Problem {
    let detail = "must be as an answer had it, or several of them with commas between";
    Problem::validation([FieldError::parameter(X_SESSION_TOKEN.as_str(), "type", detail)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(values: &[&'static str]) -> Option<u64> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(&X_SESSION_TOKEN, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        of(&headers).ok().map(Position::get)
    }

    #[test]
    fn a_token_is_read_as_it_was_written() {
        for position in [0, 1, 0x1234_5678_9abc, u64::MAX] {
            let mut headers = HeaderMap::new();
            headers.insert(&X_SESSION_TOKEN, write(Position::new(position)));
            assert_eq!(of(&headers).unwrap().get(), position);
        }
    }

    #[test]
    fn of_several_tokens_the_latest_counts() {
        assert_eq!(read_all(&[]), Some(0));
        assert_eq!(read_all(&["000000000000000a", "000000000000000c, 000000000000000b"]), Some(12));
    }

    #[test]
    fn what_is_no_token_is_refused() {
        for bad in ["", "a", "+00000000000000a", "000000000000000g", "000000000000000a,", "0/1A2B3C", "é"] {
            assert_eq!(read_all(&[bad]), None, "{bad}");
        }
    }
}
