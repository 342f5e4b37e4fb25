//! Tokens: issued, and verified.

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{DecodingKey, EncodingKey, Header, TokenData, Validation, decode, decode_header, encode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::bearer_token::MAX_TOKEN;
use super::claims::{Claims, Kind, Verified};
use super::{Algorithm, Key};
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};

/// Signs with one key.
#[derive(Debug)]
pub(super) struct Signer {
    header: Header,
    key: EncodingKey,
}

impl Signer {
    /// Of a key that can sign.
    pub(super) fn new(key: &Key) -> Option<Self> {
        let mut header = Header::new(key.algorithm.jwt());
        header.kid.clone_from(&key.id);
        Some(Self { header, key: key.signing.clone()? })
    }

    pub(super) fn sign(&self, claims: &impl Serialize) -> Result<String, Problem> {
        encode(&self.header, claims, &self.key).map_err(Problem::internal)
    }
}

/// Verifies with one key.
#[derive(Debug)]
pub(super) struct Verifier {
    id: Option<String>,
    algorithm: Algorithm,
    key: DecodingKey,
    validation: Validation,
}

impl Verifier {
    /// Of a key; `adjust` says what a token must have besides.
    pub(super) fn new(key: &Key, adjust: impl FnOnce(&mut Validation)) -> Self {
        let mut validation = Validation::new(key.algorithm.jwt());
        // A token ends with the second that `exp` names (RFC 7519, section 4.1.4: "on or after").
        validation.reject_tokens_expiring_in_less_than = 1;
        validation.validate_nbf = true;
        adjust(&mut validation);
        Self { id: key.id.clone(), algorithm: key.algorithm, key: key.verifying.clone(), validation }
    }

    /// Whether a token with this header may be one of this key.
    fn takes(&self, header: &Header) -> bool {
        self.algorithm.jwt() == header.alg && (self.id.is_none() || self.id == header.kid)
    }

    pub(super) fn verify<T: DeserializeOwned>(&self, token: &str) -> jsonwebtoken::errors::Result<T> {
        decode(token, &self.key, &self.validation).map(|TokenData { claims, .. }| claims)
    }
}

/// Issues tokens with the newest key, and verifies those of all.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) verifiers: Vec<Verifier>,
    /// None where tokens are issued elsewhere.
    pub(super) signer: Option<Signer>,
    pub(super) issuer: Option<String>,
    pub(super) audience: Option<String>,
    /// In seconds.
    pub(super) access_lifetime: u64,
    /// In seconds.
    pub(super) refresh_lifetime: u64,
}

/// What tokens of one login have in common, where they can be revoked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Session<'a>(pub(super) &'a str);

impl Tokens {
    /// Whether tokens are issued here.
    pub(super) fn issues(&self) -> bool {
        self.signer.is_some()
    }

    /// What a genuine token of this kind says.
    ///
    /// # Errors
    /// `token_expired`; `invalid_token` for everything else.
    pub(super) fn verify(&self, token: &str, kind: Kind) -> Result<Verified, Problem> {
        if token.len() > MAX_TOKEN {
            return Err(invalid_token());
        }
        let header = decode_header(token).map_err(|_| invalid_token())?;
        // No extension that could be critical is understood here (RFC 7515, section 4.1.11).
        if header.crit.is_some() {
            return Err(invalid_token());
        }
        for verifier in self.verifiers.iter().filter(|verifier| verifier.takes(&header)) {
            match verifier.verify::<Verified>(token) {
                Ok(claims) if claims.kind == kind && claims.is_plausible() => return Ok(claims),
                // The signature is checked first, so this is one of ours.
                Err(error) if *error.kind() == ErrorKind::ExpiredSignature => {
                    return Err(Problem::new(Code::TokenExpired, "token expired"));
                }
                _ => {}
            }
        }
        Err(invalid_token())
    }

    /// A new token.
    pub(super) fn issue(
        &self,
        kind: Kind,
        principal: &Principal,
        session: Option<Session<'_>>,
    ) -> Result<String, Problem> {
        let signer = self.signer.as_ref().ok_or_else(|| Problem::internal("tokens are issued elsewhere"))?;
        let lifetime = match kind {
            Kind::Access => self.access_lifetime,
            Kind::Refresh => self.refresh_lifetime,
        };
        let mut claims = Claims::new(kind, principal, lifetime, session);
        claims.iss = self.issuer.as_deref();
        claims.aud = self.audience.as_deref();
        let token = signer.sign(&claims)?;
        if token.len() > MAX_TOKEN {
            return Err(Problem::internal("the user's roles and permissions do not fit into a token"));
        }
        Ok(token)
    }
}

pub(super) fn invalid_token() -> Problem {
    Problem::new(Code::InvalidToken, "invalid token")
}
