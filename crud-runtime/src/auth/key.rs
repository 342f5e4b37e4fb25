//! [`Key`]: a key that signs or verifies tokens.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk};
use jsonwebtoken::{DecodingKey, EncodingKey, Validation};

use super::Algorithm;
use super::signature::{Signer, Verifier};
use crate::storage::error::{Error, Result};

/// A key with its algorithm: a token's header cannot choose another.
///
/// ```
/// use crud_runtime::auth::{Algorithm, Key};
///
/// let key = Key::secret(Algorithm::Hs256, "a secret of at least thirty-two bytes")?.with_id("2026-06");
/// assert!(Key::secret(Algorithm::Hs256, "short").is_err());
/// # let _ = key; Ok::<(), crud_runtime::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Key {
    pub(super) id: Option<String>,
    pub(super) algorithm: Algorithm,
    pub(super) signing: Option<EncodingKey>,
    pub(super) verifying: DecodingKey,
}

impl Key {
    /// A secret for HS256, HS384 or HS512, which signs and verifies: at least 32, 48 or 64 random bytes, such as the
    /// output of `openssl rand -base64 48`.
    ///
    /// # Errors
    /// [`Error::Setup`] when the secret is too short or the algorithm needs a key pair.
    pub fn secret(algorithm: Algorithm, secret: impl AsRef<[u8]>) -> Result<Self> {
        let secret = secret.as_ref();
        let Some(min) = algorithm.min_secret_bytes() else {
            return Err(Error::Setup(format!(
                "{algorithm} needs a key pair: use `Key::private_pem` or `Key::public_pem`"
            )));
        };
        if secret.len() < min {
            let length = secret.len();
            return Err(Error::Setup(format!(
                "the secret of {algorithm} must have at least {min} bytes, not {length}"
            )));
        }
        // Algorithm confusion: a public key as an HMAC secret would let every client sign.
        if secret.starts_with(b"-----BEGIN") {
            return Err(Error::Setup(format!("the secret of {algorithm} is a PEM document, but must be random bytes")));
        }
        let verifying = DecodingKey::from_secret(secret);
        Ok(Self { id: None, algorithm, signing: Some(EncodingKey::from_secret(secret)), verifying })
    }

    /// A private key for RS256, ES256 or `EdDSA` in PEM (PKCS #8; for RSA also PKCS #1), which signs and verifies.
    ///
    /// # Errors
    /// [`Error::Setup`] when the text is not a private key of the algorithm.
    pub fn private_pem(algorithm: Algorithm, pem: impl AsRef<[u8]>) -> Result<Self> {
        let pem = pem.as_ref();
        let read = match algorithm {
            Algorithm::Rs256 => EncodingKey::from_rsa_pem(pem),
            Algorithm::Es256 => EncodingKey::from_ec_pem(pem),
            Algorithm::EdDsa => EncodingKey::from_ed_pem(pem),
            Algorithm::Hs256 | Algorithm::Hs384 | Algorithm::Hs512 => return Err(needs_secret(algorithm)),
        };
        let wrong = |_| Error::Setup(format!("the private key is not a PEM document of an {algorithm} key"));
        let signing = read.map_err(wrong)?;
        let public = Jwk::from_encoding_key(&signing, algorithm.jwt()).map_err(wrong)?;
        let verifying = DecodingKey::from_jwk(&public).map_err(wrong)?;
        let key = Self { signing: Some(signing), ..Self::public(algorithm, verifying)? };
        if key.is_consistent() {
            Ok(key)
        } else {
            Err(Error::Setup(format!("the private key does not sign with {algorithm}")))
        }
    }

    /// A public key for RS256, ES256 or `EdDSA` in PEM, which verifies.
    ///
    /// # Errors
    /// [`Error::Setup`] when the text is not a public key of the algorithm.
    pub fn public_pem(algorithm: Algorithm, pem: impl AsRef<[u8]>) -> Result<Self> {
        let pem = pem.as_ref();
        let read = match algorithm {
            Algorithm::Rs256 => DecodingKey::from_rsa_pem(pem),
            Algorithm::Es256 => DecodingKey::from_ec_pem(pem),
            Algorithm::EdDsa => DecodingKey::from_ed_pem(pem),
            Algorithm::Hs256 | Algorithm::Hs384 | Algorithm::Hs512 => return Err(needs_secret(algorithm)),
        };
        let verifying =
            read.map_err(|_| Error::Setup(format!("the public key is not a PEM document of an {algorithm} key")))?;
        Self::public(algorithm, verifying)
    }

    /// A public key, if its size or curve fits the algorithm.
    pub(super) fn public(algorithm: Algorithm, verifying: DecodingKey) -> Result<Self> {
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
        Ok(Self { id: None, algorithm, signing: None, verifying })
    }

    /// Sets the key's id, the `kid` of the tokens that it signs; it then verifies only those. A key without id verifies
    /// tokens of any `kid`.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The signer, if the key can sign.
    pub(super) fn signer(&self) -> Option<Signer> {
        Some(Signer::new(self.id.clone(), self.algorithm, self.signing.clone()?))
    }

    /// The verifier; `adjust` sets what a token must have besides a signature.
    pub(super) fn verifier(&self, adjust: impl FnOnce(&mut Validation)) -> Verifier {
        Verifier::new(self.id.clone(), self.algorithm, self.verifying.clone(), adjust)
    }

    /// Whether the key verifies what it signs.
    fn is_consistent(&self) -> bool {
        let verifier = self.verifier(|_| {});
        let signed = self.signer().and_then(|signer| signer.sign(&serde_json::json!({ "exp": u32::MAX })).ok());
        signed.is_some_and(|token| verifier.verify::<serde_json::Value>(&token).is_ok())
    }
}

fn needs_secret(algorithm: Algorithm) -> Error {
    Error::Setup(format!("{algorithm} needs a secret: use `Key::secret`"))
}
