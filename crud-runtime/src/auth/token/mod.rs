//! [`Tokens`]: issues and verifies tokens.

pub(super) mod bearer;
pub(super) mod claims;
pub(super) mod foreign;
pub(super) mod of_tenant;
pub(super) mod revocation;
pub(super) mod rotation;
mod successor;
#[cfg(feature = "testing")]
pub(super) mod test_key;
pub(super) mod verification;

use std::time::Duration;

use chrono::{DateTime, Utc};
use jsonwebtoken::Header;

use crate::auth::User;
use crate::auth::key::signature::{Signer, Verifier};
use crate::auth::token::bearer::MAX_TOKEN_BYTES;
use crate::auth::token::claims::{
    Claims, Session, TokenKind, Validity, VerifiedClaims, exchanged_generation, last_end,
};
use crate::auth::token::foreign::ForeignTokens;
use crate::auth::token::of_tenant::TenantUser;
use crate::auth::token::successor::Successor;
use crate::auth::token::verification::{header_of, invalid_token};
use crate::model::clock::Clock;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};

/// Issues tokens with the newest key, and verifies them with every key.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) verifiers: Vec<Verifier>,
    /// None if another issuer issues the tokens.
    pub(super) signer: Option<Signer>,
    /// Signs the tokens of tests.
    #[cfg(feature = "testing")]
    pub(super) test_signer: Option<Signer>,
    pub(super) issuer: Option<String>,
    pub(super) audience: Option<String>,
    /// The requirements for tokens of other issuers.
    pub(super) foreign: ForeignTokens,
    /// The lifetime of an access token, in seconds.
    pub(super) access_lifetime: u64,
    /// The lifetime of a refresh token, in seconds.
    pub(super) refresh_lifetime: u64,
    /// The tolerated difference of another issuer's clock.
    pub(super) leeway: Duration,
    /// The service's clock, once the authentication is part of a service.
    pub(super) clock: Clock,
}

impl Tokens {
    /// The claims of a valid token of this kind.
    ///
    /// # Errors
    /// `token_expired`; else `invalid_token`.
    pub(super) fn verify(&self, token: &str, kind: TokenKind) -> Result<VerifiedClaims, Problem> {
        self.verify_by(token, kind, |_| true)
    }

    /// The claims of a valid access token of this service's own keys.
    ///
    /// # Errors
    /// Errors of [`verify`](Self::verify).
    pub(super) fn verify_own_access(&self, token: &str) -> Result<VerifiedClaims, Problem> {
        self.verify_by(token, TokenKind::Access, |verifier| !verifier.is_foreign())
    }

    fn verify_by(
        &self,
        token: &str,
        kind: TokenKind,
        counts: impl Fn(&Verifier) -> bool,
    ) -> Result<VerifiedClaims, Problem> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(invalid_token());
        }
        let header = header_of(token)?;
        for verifier in self.verifiers.iter().filter(|verifier| counts(verifier) && verifier.accepts(&header)) {
            let Ok(claims) = verifier.verify::<VerifiedClaims>(token) else { continue };
            match claims.validity(self.clock.now(), self.leeway) {
                // The signature is checked before the expiry, so the token is genuine.
                Validity::Expired => return Err(Problem::of(Code::TokenExpired)),
                Validity::Valid if self.is_of(kind, &header, verifier, &claims) && claims.are_storable() => {
                    return Ok(claims);
                }
                _ => {}
            }
        }
        Err(invalid_token())
    }

    /// Whether a token is of this kind. An own token names its kind; a foreign one can only be an access token here.
    fn is_of(&self, kind: TokenKind, header: &Header, verifier: &Verifier, claims: &VerifiedClaims) -> bool {
        if verifier.is_foreign() {
            kind == TokenKind::Access && self.foreign.admit(header, claims)
        } else {
            claims.kind() == Some(kind)
        }
    }

    /// Issues an access token; `user`: its user, if it can be exchanged for tokens of another tenant.
    pub(super) fn issue_access(
        &self,
        principal: &Principal,
        session: Option<Session<'_>>,
        user: Option<&User>,
    ) -> Result<String, Problem> {
        self.sign_access(self.signer()?, principal, session, user)
    }

    /// Issues a refresh token of the user's generation, for the tenant of its tokens.
    pub(super) fn issue_refresh(&self, of: &TenantUser, session: Option<Session<'_>>) -> Result<String, Problem> {
        self.sign_refresh(of, session, self.clock.now(), None)
    }

    /// Issues the refresh token that replaces a used one.
    pub(super) fn issue_successor(
        &self,
        of: &TenantUser,
        session: Option<Session<'_>>,
        successor: Successor,
    ) -> Result<String, Problem> {
        self.sign_refresh(of, session, successor.issued_at, Some(successor.id))
    }

    fn sign_refresh(
        &self,
        of: &TenantUser,
        session: Option<Session<'_>>,
        from: DateTime<Utc>,
        id: Option<String>,
    ) -> Result<String, Problem> {
        let principal = of.user.principal();
        let mut claims = Claims::new(TokenKind::Refresh, &principal, (from, self.refresh_lifetime), session);
        claims.jti = id.or(claims.jti);
        claims.generation = of.user.generation.as_deref();
        claims.since = last_end(&of.user);
        claims.tenant = of.tenant.as_ref();
        self.sign(self.signer()?, claims)
    }

    /// An access token of one of the service's keys.
    pub(super) fn sign_access(
        &self,
        signer: &Signer,
        principal: &Principal,
        session: Option<Session<'_>>,
        user: Option<&User>,
    ) -> Result<String, Problem> {
        let times = (self.clock.now(), self.access_lifetime);
        let mut claims = Claims::new(TokenKind::Access, principal, times, session);
        claims.user_generation = user.map(exchanged_generation);
        claims.since = user.and_then(last_end);
        self.sign(signer, claims)
    }

    fn signer(&self) -> Result<&Signer, Problem> {
        self.signer.as_ref().ok_or_else(|| Problem::internal("another issuer issues the tokens"))
    }

    fn sign<'a>(&'a self, signer: &Signer, mut claims: Claims<'a>) -> Result<String, Problem> {
        claims.iss = self.issuer.as_deref();
        claims.aud = self.audience.as_deref();
        let token = signer.sign(&claims)?;
        if token.len() > MAX_TOKEN_BYTES {
            return Err(Problem::internal("the user's roles and permissions do not fit into a token"));
        }
        Ok(token)
    }
}
