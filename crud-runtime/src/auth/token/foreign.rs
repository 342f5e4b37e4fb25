//! The kind of a token of another issuer: told by its header, its audience and the claims of other kinds.
//!
//! An issuer writes access tokens, ID tokens, refresh tokens and logout tokens with one key, so that a valid signature does
//! not make one an access token (RFC 8725, section 2.8). RFC 9068 has the header `typ: at+jwt`; most issuers write `JWT`.

use jsonwebtoken::Header;
use serde_json::Value as Json;

use crate::auth::token::claims::{TokenKind, VerifiedClaims};

/// The media type of access tokens (RFC 9068, section 2.1).
const ACCESS: &str = "at+jwt";

/// The values of `typ` that the header of an access token may have.
const HEADERS: [&str; 2] = [ACCESS, "jwt"];

/// The claims that name the kind of a token: Keycloak's, and Cognito's.
const OF_KIND: [&str; 2] = ["typ", "token_use"];

/// The values of those claims that an access token may have.
const KINDS: [&str; 4] = ["bearer", "access", ACCESS, "jwt"];

/// The claims that ID tokens alone have (`OpenID` Connect Core 1.0, sections 2 and 3.3.2.11).
const OF_ID_TOKENS: [&str; 3] = ["at_hash", "c_hash", "s_hash"];

/// Requirements of a service for tokens of other issuers.
#[derive(Debug, Clone, Default)]
pub(in crate::auth) struct ForeignTokens {
    /// Whether tokens are for a configured audience.
    pub(in crate::auth) has_audience: bool,
    /// The `typ` that the header must have.
    pub(in crate::auth) header_type: Option<String>,
}

impl ForeignTokens {
    /// Whether a token with a valid signature, issuer and audience is an access token.
    pub(in crate::auth) fn admit(&self, header: &Header, claims: &VerifiedClaims) -> bool {
        let found = header.typ.as_deref().map(plain);
        if let Some(required) = &self.header_type
            && found.as_ref() != Some(&plain(required))
        {
            return false;
        }
        let is_known = self.header_type.is_some() || found.as_deref().is_none_or(|found| HEADERS.contains(&found));
        if !is_known || is_of_another_kind(found.as_deref() == Some(ACCESS), claims) {
            return false;
        }
        match claims.kind() {
            Some(TokenKind::Refresh) => false,
            // An access token of another service of this framework.
            Some(TokenKind::Access) => true,
            None => self.has_audience,
        }
    }
}

/// Whether the claims are those of another kind of token.
fn is_of_another_kind(says_access: bool, claims: &VerifiedClaims) -> bool {
    let named = || OF_KIND.iter().filter_map(|claim| claims.own.get(*claim));
    let is_access = |name: &Json| name.as_str().is_some_and(|name| KINDS.contains(&name.to_lowercase().as_str()));
    let has = |name: &str| claims.own.contains_key(name);
    // The nonce of a login is in its ID token; older issuers have it in access tokens too, which then name their kind.
    let has_stray_nonce = has("nonce") && !says_access && named().next().is_none();
    !named().all(is_access)
        || OF_ID_TOKENS.into_iter().any(has)
        || has_stray_nonce
        // Logout tokens and security events (RFC 8417).
        || has("events")
}

/// A type without `application/`, which it may leave out (RFC 7515, section 4.1.9).
fn plain(typ: &str) -> String {
    let typ = typ.to_lowercase();
    typ.strip_prefix("application/").map(str::to_owned).unwrap_or(typ)
}
