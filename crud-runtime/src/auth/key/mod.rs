//! [`TokenKey`]: a key that signs or verifies tokens.

pub(super) mod algorithm;
#[cfg(feature = "auth-asymmetric")]
pub(super) mod jwks;
#[cfg(not(feature = "auth-asymmetric"))]
pub(super) mod no_pair;
pub(super) mod pair;
#[cfg(feature = "auth-asymmetric")]
pub(super) mod pair_signature;
#[cfg(feature = "auth-asymmetric")]
pub(super) mod pem;
pub(super) mod provider;
pub(super) mod signature;

use jsonwebtoken::{DecodingKey, EncodingKey};

use super::Algorithm;
use crate::storage::error::{Error, Result};

/// A key with its algorithm: a token's header cannot choose another.
///
/// ```
/// use crud_runtime::auth::{Algorithm, TokenKey};
///
/// let key = TokenKey::secret(Algorithm::Hs256, "a secret of at least thirty-two bytes")?.with_id("2026-06");
/// assert!(TokenKey::secret(Algorithm::Hs256, "short").is_err());
/// # let _ = key; Ok::<(), crud_runtime::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TokenKey {
    pub(super) id: Option<String>,
    pub(super) algorithm: Algorithm,
    pub(super) signing: Option<EncodingKey>,
    pub(super) verifying: DecodingKey,
}

impl TokenKey {
    /// A secret for HS256, HS384 or HS512, which signs and verifies: at least 32, 48 or 64 random bytes, such as the
    /// output of `openssl rand -base64 48`.
    ///
    /// # Errors
    /// [`Error::Setup`] when the secret is too short or the algorithm needs a key pair.
    pub fn secret(algorithm: Algorithm, secret: impl AsRef<[u8]>) -> Result<Self> {
        let secret = secret.as_ref();
        let Some(min) = algorithm.min_secret_bytes() else {
            return Err(Error::Setup(if cfg!(feature = "auth-asymmetric") {
                format!("{algorithm} needs a key pair: use `TokenKey::private_pem` or `TokenKey::public_pem`")
            } else {
                format!("{algorithm} needs a key pair, and the feature `auth-asymmetric` of `crud-runtime`")
            }));
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
        provider::install();
        let refused = |error: jsonwebtoken::errors::Error| Error::Setup(error.to_string());
        let signing = EncodingKey::from_secret(secret).map_err(refused)?;
        let verifying = DecodingKey::from_secret(secret).map_err(refused)?;
        Ok(Self { id: None, algorithm, signing: Some(signing), verifying })
    }

    /// Sets the key's id, the `kid` of the tokens that it signs; it then verifies only those. A key without id verifies
    /// tokens of any `kid`.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }
}
