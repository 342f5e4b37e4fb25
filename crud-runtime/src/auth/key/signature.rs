//! [`Signer`] and [`Verifier`]: the signatures of one key.

use jsonwebtoken::{DecodingKey, EncodingKey, Header, TokenData, Validation, decode, encode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::auth::{Algorithm, TokenKey};
use crate::model::problem::Problem;

impl TokenKey {
    /// The signer, if the key can sign.
    pub(in crate::auth) fn signer(&self) -> Option<Signer> {
        let header = Header { kid: self.id.clone(), ..Header::new(self.algorithm.jwt()) };
        Some(Signer { header, key: self.signing.clone()? })
    }

    /// The verifier; `adjust` sets what a token must have besides a signature.
    pub(in crate::auth) fn verifier(&self, adjust: impl FnOnce(&mut Validation)) -> Verifier {
        let mut validation = Validation::new(self.algorithm.jwt());
        // `VerifiedClaims::validity` checks the expiry by the service's clock.
        validation.validate_exp = false;
        adjust(&mut validation);
        let (id, key) = (self.id.clone(), self.verifying.clone());
        Verifier { id, algorithm: self.algorithm, key, validation, is_foreign: false }
    }
}

/// Signs tokens with one key.
#[derive(Debug)]
pub(in crate::auth) struct Signer {
    header: Header,
    key: EncodingKey,
}

impl Signer {
    pub(in crate::auth) fn sign(&self, claims: &impl Serialize) -> Result<String, Problem> {
        encode(&self.header, claims, &self.key).map_err(Problem::internal)
    }
}

/// Verifies tokens with one key.
#[derive(Debug)]
pub(in crate::auth) struct Verifier {
    id: Option<String>,
    algorithm: Algorithm,
    key: DecodingKey,
    validation: Validation,
    /// Whether another issuer signs with the key.
    is_foreign: bool,
}

impl Verifier {
    /// Marks the verifier as that of another issuer's key.
    pub(in crate::auth) fn of_another_issuer(self) -> Self {
        Self { is_foreign: true, ..self }
    }

    /// Whether another issuer signs with the key.
    pub(in crate::auth) const fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    /// Whether the key may have signed a token with this header.
    pub(in crate::auth) fn accepts(&self, header: &Header) -> bool {
        self.algorithm.jwt() == header.alg && (self.id.is_none() || self.id == header.kid)
    }

    /// Whether a token with this header names the key.
    #[cfg(feature = "auth-issuers")]
    pub(in crate::auth) fn is_named(&self, header: &Header) -> bool {
        self.id.is_some() && self.id == header.kid
    }

    /// The claims of a token, if its signature and required claims are valid; its times are not checked.
    pub(in crate::auth) fn verify<T: DeserializeOwned>(&self, token: &str) -> jsonwebtoken::errors::Result<T> {
        decode(token, &self.key, &self.validation).map(|TokenData { claims, .. }| claims)
    }
}
