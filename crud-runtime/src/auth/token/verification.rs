//! The checks that every token undergoes, whatever its issuer.

use jsonwebtoken::{Header, Validation, decode_header};

use crate::model::problem::{Code, Problem};

/// The header of a token that is not verified yet.
pub(in crate::auth) fn header_of(token: &str) -> Result<Header, Problem> {
    // Critical extensions are not supported (RFC 7515, section 4.1.11).
    decode_header(token).ok().filter(|header| header.crit.is_none()).ok_or_else(invalid_token)
}

/// Sets the claims that every token must have.
pub(in crate::auth) fn require_claims(validation: &mut Validation, issuer: Option<&str>, audience: Option<&str>) {
    let mut required = vec!["exp", "sub"];
    if let Some(issuer) = issuer {
        validation.set_issuer(&[issuer]);
        required.push("iss");
    }
    if let Some(audience) = audience {
        validation.set_audience(&[audience]);
        required.push("aud");
    }
    validation.set_required_spec_claims(&required);
}

/// The problem of a token that is refused.
pub(in crate::auth) fn invalid_token() -> Problem {
    Problem::of(Code::InvalidToken)
}
