//! The key of tests: it signs tokens of principals that never logged in.

use std::borrow::Cow;

use crate::auth::token::claims::{Session, new_id};
use crate::auth::token::verification::require_claims;
use crate::auth::{Algorithm, Auth, TokenKey};
use crate::model::principal::Principal;
use crate::model::problem::Problem;
use crate::storage::error::Result;

/// The key's id in the header of its tokens.
const KEY_ID: &str = "crud-test";

impl Auth {
    /// Makes the service accept tokens of a key that this process alone has.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub(crate) fn trust_tests(&mut self) -> Result<()> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(Problem::internal)?;
        let key = TokenKey::secret(Algorithm::Hs256, secret)?.with_id(KEY_ID);
        let (issuer, audience) = (self.tokens.issuer.as_deref(), self.tokens.audience.as_deref());
        let verifier = key.verifier(|validation| require_claims(validation, issuer, audience));
        self.tokens.verifiers.push(verifier);
        self.tokens.test_signer = key.signer();
        Ok(())
    }

    /// The scheme and an access token for a principal's request.
    ///
    /// # Errors
    /// `internal` without [`trust_tests`](Self::trust_tests).
    pub(crate) fn test_token(&self, principal: &Principal) -> Result<(&str, String), Problem> {
        let signer = self.tokens.test_signer.as_ref().or(self.tokens.signer.as_ref());
        let signer = signer.ok_or_else(|| Problem::internal("call `Service::test` before `Service::state`"))?;
        let session = new_id();
        let principal = self.with_tenant_claim(principal);
        let token = self.tokens.sign_access(signer, &principal, Some(Session(&session)), None)?;
        Ok((&self.scheme, token))
    }
    /// The principal, with its tenant in the claim that names the tenant in tokens.
    fn with_tenant_claim<'p>(&self, principal: &'p Principal) -> Cow<'p, Principal> {
        match (self.tenant_claim.as_deref(), principal.tenant()) {
            (Some(name), Some(tenant)) => Cow::Owned(principal.clone().with_claim(name, tenant.clone())),
            _ => Cow::Borrowed(principal),
        }
    }
}
