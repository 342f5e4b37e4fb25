//! Key pairs without the feature `auth-asymmetric`: refused, though no program that calls this compiles
//! ([`KeyDocument`](crate::auth::KeyDocument)).

use crate::auth::{Algorithm, TokenKey};
use crate::storage::error::{Error, Result};

/// See [`TokenKey::private_pem`].
pub(in crate::auth) fn private_key(_: Algorithm, _: &[u8]) -> Result<TokenKey> {
    Err(needs_feature())
}

/// See [`TokenKey::public_pem`].
pub(in crate::auth) fn public_key(_: Algorithm, _: &[u8]) -> Result<TokenKey> {
    Err(needs_feature())
}

/// The keys of a JWKS document.
pub(in crate::auth) fn keys(_: &str) -> Result<Vec<TokenKey>> {
    Err(needs_feature())
}

fn needs_feature() -> Error {
    Error::Setup("key pairs need the feature `auth-asymmetric` of `crud-runtime`".into())
}
