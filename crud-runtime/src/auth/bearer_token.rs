//! The bearer token of a request (RFC 6750, section 2.1): in the header, and nowhere else.

use axum::http::{HeaderMap, header};

use crate::model::problem::{Code, Problem};

/// Longer tokens are not looked at.
pub(super) const MAX_TOKEN: usize = 16 * 1024;

/// The token that a request carries; `None` when it has no `Authorization`.
///
/// # Errors
/// `authentication_failed` when there are several, or one of another scheme; `invalid_token` when it cannot be
/// a token.
pub(super) fn from_headers(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let failed = || Problem::new(Code::AuthenticationFailed, "authentication failed");
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(failed());
    }
    let (scheme, token) = value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(failed)?;
    // Schemes are case-insensitive (RFC 9110, section 11.1).
    if !scheme.eq_ignore_ascii_case("Bearer") {
        return Err(failed());
    }
    let token = token.trim_start_matches(' ');
    // What RFC 6750 calls b64token.
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    if token.is_empty() || token.len() > MAX_TOKEN || !token.bytes().all(legal) {
        return Err(Problem::new(Code::InvalidToken, "invalid token"));
    }
    Ok(Some(token))
}
