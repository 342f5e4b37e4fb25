//! The scheme of challenges, where it is not `Bearer`.

use axum::http::{HeaderValue, header};
use axum::response::Response;

/// Replaces the scheme of a response's `WWW-Authenticate`.
pub(crate) fn with_scheme(scheme: &str, mut response: Response) -> Response {
    let challenge = response.headers().get(header::WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
    let challenge = challenge.and_then(|text| text.strip_prefix("Bearer ")).map(|rest| format!("{scheme} {rest}"));
    if let Some(challenge) = challenge.and_then(|text| HeaderValue::try_from(text).ok()) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}
