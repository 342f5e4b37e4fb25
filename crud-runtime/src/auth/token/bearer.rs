//! The bearer token of a request, in the `Authorization` header only (RFC 6750, section 2.1).

use axum::http::{HeaderMap, header};

use crate::model::problem::{Code, Problem};

/// The largest size of a token, in bytes; larger ones are refused unread.
pub(in crate::auth) const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// The request's token, after this scheme; `None` without an `Authorization` header.
///
/// # Errors
/// `authentication_failed` for several headers or another scheme; `invalid_token` for a malformed token.
pub(in crate::auth) fn from_headers<'h>(headers: &'h HeaderMap, scheme: &str) -> Result<Option<&'h str>, Problem> {
    let failed = || Problem::of(Code::AuthenticationFailed);
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(failed());
    }
    let (given, token) = value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(failed)?;
    // Schemes are case-insensitive (RFC 9110, section 11.1).
    if !given.eq_ignore_ascii_case(scheme) {
        return Err(failed());
    }
    let token = token.trim_start_matches(' ');
    // The b64token of RFC 6750.
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    if token.is_empty() || token.len() > MAX_TOKEN_BYTES || !token.bytes().all(is_legal) {
        return Err(Problem::of(Code::InvalidToken));
    }
    Ok(Some(token))
}
