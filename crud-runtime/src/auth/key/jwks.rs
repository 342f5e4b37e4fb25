//! JWKS documents: the public keys of another issuer (RFC 7517).

use jsonwebtoken::DecodingKey;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet, KeyAlgorithm, KeyOperations, PublicKeyUse};

use crate::auth::key::{pem, provider};
use crate::auth::{Algorithm, TokenKey};
use crate::storage::error::{Error, Result};

/// The document's signature keys; keys for other uses are skipped.
///
/// # Errors
/// [`Error::Setup`] when the text is not a JWKS document, or has a secret or no signature key.
pub(in crate::auth) fn keys(document: &str) -> Result<Vec<TokenKey>> {
    provider::install();
    let set: JwkSet = serde_json::from_str(document)
        .map_err(|error| Error::Setup(format!("the JWKS document cannot be read: {error}")))?;
    if set.keys.iter().any(|key| matches!(key.algorithm, AlgorithmParameters::OctetKey(_))) {
        return Err(Error::Setup("the JWKS document has a secret (`kty` is `oct`): expected public keys".into()));
    }
    let keys = set.keys.iter().filter_map(|jwk| Some((jwk, algorithm(jwk)?))).map(|(jwk, algorithm)| {
        let id = jwk.common.key_id.clone();
        let verifying = DecodingKey::from_jwk(jwk)
            .map_err(|error| Error::Setup(format!("a key of the JWKS document cannot be read: {error}")))?;
        Ok(TokenKey { id, ..pem::public(algorithm, verifying)? })
    });
    let keys: Vec<TokenKey> = keys.collect::<Result<_>>()?;
    if keys.is_empty() {
        return Err(Error::Setup("the JWKS document has no signature key of RS256, ES256 or EdDSA".into()));
    }
    Ok(keys)
}

/// A key's signature algorithm, if it is a signature key.
fn algorithm(jwk: &Jwk) -> Option<Algorithm> {
    let common = &jwk.common;
    let verifies = common.key_operations.as_ref().is_none_or(|list| list.contains(&KeyOperations::Verify));
    if !verifies || !matches!(common.public_key_use, None | Some(PublicKeyUse::Signature)) {
        return None;
    }
    let (algorithm, named) = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => (Algorithm::Rs256, KeyAlgorithm::RS256),
        AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
            (Algorithm::Es256, KeyAlgorithm::ES256)
        }
        AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
            (Algorithm::EdDsa, KeyAlgorithm::EdDSA)
        }
        _ => return None,
    };
    common.key_algorithm.is_none_or(|given| given == named).then_some(algorithm)
}
