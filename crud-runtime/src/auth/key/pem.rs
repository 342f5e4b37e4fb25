//! Keys in PEM.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk};
use jsonwebtoken::{DecodingKey, EncodingKey};

use crate::auth::key::provider;
use crate::auth::{Algorithm, TokenKey};
use crate::storage::error::{Error, Result};

/// See [`TokenKey::private_pem`].
pub(in crate::auth) fn private_key(algorithm: Algorithm, pem: &[u8]) -> Result<TokenKey> {
    provider::install();
    let read = match algorithm {
        Algorithm::Rs256 => EncodingKey::from_rsa_pem(pem),
        Algorithm::Es256 => EncodingKey::from_ec_pem(pem),
        Algorithm::EdDsa => EncodingKey::from_ed_pem(pem),
        Algorithm::Hs256 | Algorithm::Hs384 | Algorithm::Hs512 => return Err(needs_secret(algorithm)),
    };
    let wrong = |_| Error::Setup(format!("the private key is not a PEM document of an {algorithm} key"));
    let signing = read.map_err(wrong)?;
    let public_key = Jwk::from_encoding_key(&signing, algorithm.jwt()).map_err(wrong)?;
    let verifying = DecodingKey::from_jwk(&public_key).map_err(wrong)?;
    let key = TokenKey { signing: Some(signing), ..public(algorithm, verifying)? };
    if is_consistent(&key) {
        Ok(key)
    } else {
        Err(Error::Setup(format!("the private key does not sign with {algorithm}")))
    }
}

/// See [`TokenKey::public_pem`].
pub(in crate::auth) fn public_key(algorithm: Algorithm, pem: &[u8]) -> Result<TokenKey> {
    provider::install();
    let read = match algorithm {
        Algorithm::Rs256 => DecodingKey::from_rsa_pem(pem),
        Algorithm::Es256 => DecodingKey::from_ec_pem(pem),
        Algorithm::EdDsa => DecodingKey::from_ed_pem(pem),
        Algorithm::Hs256 | Algorithm::Hs384 | Algorithm::Hs512 => return Err(needs_secret(algorithm)),
    };
    let verifying =
        read.map_err(|_| Error::Setup(format!("the public key is not a PEM document of an {algorithm} key")))?;
    public(algorithm, verifying)
}

/// A public key, if its size or curve fits the algorithm.
pub(in crate::auth) fn public(algorithm: Algorithm, verifying: DecodingKey) -> Result<TokenKey> {
    let public = Jwk::from_decoding_key(&verifying, None).map(|public| public.algorithm);
    let fits = match (algorithm, public) {
        // RFC 7518, section 3.3: "a key of size 2048 bits or larger MUST be used".
        (Algorithm::Rs256, Ok(AlgorithmParameters::RSA(key))) => {
            URL_SAFE_NO_PAD.decode(key.n).is_ok_and(|modulus| modulus.len() >= 2048 / 8)
        }
        (Algorithm::Es256, Ok(AlgorithmParameters::EllipticCurve(key))) => key.curve == EllipticCurve::P256,
        (Algorithm::EdDsa, Ok(AlgorithmParameters::OctetKeyPair(key))) => key.curve == EllipticCurve::Ed25519,
        _ => false,
    };
    if !fits {
        return Err(Error::Setup(format!("a public key does not have the size or curve of {algorithm}")));
    }
    Ok(TokenKey { id: None, algorithm, signing: None, verifying })
}

/// Whether the key verifies what it signs.
fn is_consistent(key: &TokenKey) -> bool {
    let verifier = key.verifier(|_| {});
    let signed = key.signer().and_then(|signer| signer.sign(&serde_json::json!({ "exp": u32::MAX })).ok());
    signed.is_some_and(|token| verifier.verify::<serde_json::Value>(&token).is_ok())
}

fn needs_secret(algorithm: Algorithm) -> Error {
    Error::Setup(format!("{algorithm} needs a secret: use `TokenKey::secret`"))
}
