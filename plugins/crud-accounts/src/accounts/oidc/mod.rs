//! Login with an issuer (`OpenID` Connect Core 1.0): a code with PKCE, `state`, `nonce` and `iss`.

pub(crate) mod access;
pub(crate) mod attempt;
pub(crate) mod identity;
pub(crate) mod login_issuer;
pub(crate) mod routes;
pub(crate) mod user;
