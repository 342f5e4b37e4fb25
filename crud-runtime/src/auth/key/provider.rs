//! The cryptography of tokens: HMAC by the `hmac` and `sha2` crates, and with `auth-asymmetric`, key pairs by `ring`.
//!
//! `jsonwebtoken` has one provider for a process. The first key installs this one, unless the program has installed another.

use hmac::{Hmac, KeyInit, Mac};
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error, Signer, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, EncodingKey};
use sha2::{Sha256, Sha384, Sha512};

#[cfg(feature = "auth-asymmetric")]
use super::pair_signature;

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| signer(*algorithm, key),
    verifier_factory: |algorithm, key| verifier(*algorithm, key),
    key_utils: KEY_UTILS,
};

#[cfg(feature = "auth-asymmetric")]
const KEY_UTILS: KeyUtils = pair_signature::KEY_UTILS;

/// JWK documents need key pairs.
#[cfg(not(feature = "auth-asymmetric"))]
const KEY_UTILS: KeyUtils = KeyUtils::new_unimplemented();

/// Installs the provider, once.
pub(in crate::auth) fn install() {
    // The program's own provider stays.
    let _ = PROVIDER.install_default();
}

fn signer(algorithm: Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    #[cfg(feature = "auth-asymmetric")]
    if algorithm.family() != AlgorithmFamily::Hmac {
        return pair_signature::signer(algorithm, key);
    }
    Ok(mac(algorithm, key.family(), Ok(key.as_bytes()))?)
}

fn verifier(algorithm: Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    #[cfg(feature = "auth-asymmetric")]
    if algorithm.family() != AlgorithmFamily::Hmac {
        return pair_signature::verifier(algorithm, key);
    }
    Ok(mac(algorithm, key.family(), key.try_get_as_bytes())?)
}

/// The authentication code of an algorithm, by a key of this family.
fn mac(algorithm: Algorithm, family: AlgorithmFamily, secret: Result<&[u8]>) -> Result<Box<dyn SymmetricKey>> {
    let secret = if family == AlgorithmFamily::Hmac { secret } else { Err(ErrorKind::InvalidKeyFormat.into()) };
    Ok(match algorithm {
        Algorithm::HS256 => Box::new(HmacKey::<Hmac<Sha256>>::new(algorithm, secret?)?),
        Algorithm::HS384 => Box::new(HmacKey::<Hmac<Sha384>>::new(algorithm, secret?)?),
        Algorithm::HS512 => Box::new(HmacKey::<Hmac<Sha512>>::new(algorithm, secret?)?),
        _ => return Err(ErrorKind::UnsupportedAlgorithm.into()),
    })
}

/// A key that signs and verifies.
trait SymmetricKey: JwtSigner + JwtVerifier {}

impl<T: JwtSigner + JwtVerifier> SymmetricKey for T {}

/// A message authentication code (RFC 2104) as a token's signature.
struct HmacKey<M> {
    keyed: M,
    algorithm: Algorithm,
}

impl<M: Mac + KeyInit> HmacKey<M> {
    fn new(algorithm: Algorithm, secret: &[u8]) -> Result<Self> {
        let keyed = M::new_from_slice(secret).map_err(|_| ErrorKind::InvalidKeyFormat)?;
        Ok(Self { keyed, algorithm })
    }
}

impl<M: Mac + Clone> Signer<Vec<u8>> for HmacKey<M> {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, Error> {
        Ok(self.keyed.clone().chain_update(message).finalize().into_bytes().to_vec())
    }
}

impl<M: Mac + Clone> JwtSigner for HmacKey<M> {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl<M: Mac + Clone> Verifier<Vec<u8>> for HmacKey<M> {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        // `verify_slice` compares in constant time.
        self.keyed.clone().chain_update(message).verify_slice(signature).map_err(|_| Error::new())
    }
}

impl<M: Mac + Clone> JwtVerifier for HmacKey<M> {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test case of RFC 4231, section 4.3.
    #[test]
    fn codes_are_those_of_the_rfc() {
        let (secret, message) = (b"Jefe", b"what do ya want for nothing?");
        for (algorithm, code) in [
            (Algorithm::HS256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
            (
                Algorithm::HS384,
                "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
            ),
            (
                Algorithm::HS512,
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
            ),
        ] {
            let signed = signer(algorithm, &EncodingKey::from_secret(secret).unwrap()).unwrap().sign(message);
            let bytes = (0..code.len()).step_by(2).map(|at| u8::from_str_radix(&code[at..at + 2], 16).unwrap());
            assert_eq!(signed, bytes.collect::<Vec<_>>(), "{algorithm:?}");
            let verifier = verifier(algorithm, &DecodingKey::from_secret(secret).unwrap()).unwrap();
            assert!(verifier.verify(message, &signed).is_ok());
            assert!(verifier.verify(b"another", &signed).is_err());
            assert!(verifier.verify(message, &signed[1..].to_vec()).is_err());
        }
    }
}
