//! [`Signer`] and [`Verifier`]: the signatures of one key.

use jsonwebtoken::{DecodingKey, EncodingKey, Header, TokenData, Validation, decode, encode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Algorithm;
use crate::model::problem::Problem;

/// Signs tokens with one key.
#[derive(Debug)]
pub(super) struct Signer {
    header: Header,
    key: EncodingKey,
}

impl Signer {
    pub(super) fn new(id: Option<String>, algorithm: Algorithm, key: EncodingKey) -> Self {
        let header = Header { kid: id, ..Header::new(algorithm.jwt()) };
        Self { header, key }
    }

    pub(super) fn sign(&self, claims: &impl Serialize) -> Result<String, Problem> {
        encode(&self.header, claims, &self.key).map_err(Problem::internal)
    }
}

/// Verifies tokens with one key.
#[derive(Debug)]
pub(super) struct Verifier {
    id: Option<String>,
    algorithm: Algorithm,
    key: DecodingKey,
    validation: Validation,
}

impl Verifier {
    pub(super) fn new(
        id: Option<String>,
        algorithm: Algorithm,
        key: DecodingKey,
        adjust: impl FnOnce(&mut Validation),
    ) -> Self {
        let mut validation = Validation::new(algorithm.jwt());
        // A token is invalid "on or after" its `exp` (RFC 7519, section 4.1.4).
        validation.reject_tokens_expiring_in_less_than = 1;
        validation.validate_nbf = true;
        adjust(&mut validation);
        Self { id, algorithm, key, validation }
    }

    /// Whether the key may have signed a token with this header.
    pub(super) fn accepts(&self, header: &Header) -> bool {
        self.algorithm.jwt() == header.alg && (self.id.is_none() || self.id == header.kid)
    }

    /// The claims of a token, if signature, times and required claims are valid.
    pub(super) fn verify<T: DeserializeOwned>(&self, token: &str) -> jsonwebtoken::errors::Result<T> {
        decode(token, &self.key, &self.validation).map(|TokenData { claims, .. }| claims)
    }
}
