//! Key pairs without the feature `auth-asymmetric`: refused, though no program that calls this compiles
//! ([`KeyDocument`](super::KeyDocument)).

use super::{Algorithm, Key};
use crate::storage::error::{Error, Result};

/// See [`Key::private_pem`].
pub(super) fn private_key(_: Algorithm, _: &[u8]) -> Result<Key> {
    Err(needs_feature())
}

/// See [`Key::public_pem`].
pub(super) fn public_key(_: Algorithm, _: &[u8]) -> Result<Key> {
    Err(needs_feature())
}

/// The keys of a JWKS document.
pub(super) fn keys(_: &str) -> Result<Vec<Key>> {
    Err(needs_feature())
}

fn needs_feature() -> Error {
    Error::Setup("key pairs need the feature `auth-asymmetric` of `crud-runtime`".into())
}
