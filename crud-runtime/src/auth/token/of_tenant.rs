//! Tokens for one of the tenants that a user belongs to.

use axum::http::HeaderMap;
use serde_json::Value as Json;

use crate::auth::authentication::store_problem;
use crate::auth::login::IssuedTokens;
use crate::auth::memberships::Memberships;
use crate::auth::token::bearer as bearer_token;
use crate::auth::token::claims::{Session, new_id};
use crate::auth::token::verification::invalid_token;
use crate::auth::{Auth, User};
use crate::model::problem::{Code, Problem};

/// A user with the tenant that its tokens are for.
pub(in crate::auth) struct TenantUser {
    /// The user, whose claims have the tenant.
    pub(in crate::auth) user: User,
    /// The tenant, which a refresh keeps.
    pub(in crate::auth) tenant: Option<Json>,
}

impl TenantUser {
    /// A user of a service without memberships: its claims name the tenant.
    pub(in crate::auth) const fn of_claims(user: User) -> Self {
        Self { user, tenant: None }
    }
}

impl Auth {
    /// The user in a tenant: in this one, or else that of its first membership. Without memberships, a user has the tenant of
    /// its claims.
    ///
    /// # Errors
    /// `not_found` where the user is not a member of the tenant.
    pub(in crate::auth) async fn in_tenant(
        &self,
        user: User,
        memberships: Option<&Memberships>,
        tenant: Option<&Json>,
    ) -> Result<TenantUser, Problem> {
        let Some(memberships) = memberships else { return Ok(TenantUser::of_claims(user)) };
        let found = match tenant.filter(|tenant| !tenant.is_null()) {
            Some(tenant) => Some(memberships.find(&user.subject, tenant).await?.ok_or_else(not_a_member)?),
            None => memberships.first(&user.subject).await?,
        };
        let (mut user, tenant) = (user, found.map(|membership| membership.tenant));
        if let Some(claim) = &self.tenant_claim {
            // Only memberships name the tenant.
            user.claims.shift_remove(claim);
            user.claims.extend(tenant.clone().map(|tenant| (claim.clone(), tenant)));
        }
        Ok(TenantUser { user, tenant })
    }

    /// The tokens of the user of a request's access token, for another of its tenants.
    ///
    /// # Errors
    /// 401 for a token that is not one of this service's, or is older than the user's password; `not_found` where the
    /// user is not a member of the tenant.
    pub(crate) async fn change_tenant(
        &self,
        headers: &HeaderMap,
        memberships: &Memberships,
        tenant: &Json,
    ) -> Result<IssuedTokens, Problem> {
        let missing = || Problem::of(Code::AuthenticationFailed);
        let token = bearer_token::from_headers(headers, &self.scheme)?.ok_or_else(missing)?;
        // Another issuer's user may have the id of one of this service.
        let claims = self.tokens.verify_own_access(token)?;
        if self.sessions.revocable && self.is_revoked(&claims).await? {
            return Err(invalid_token());
        }
        let user = self.users()?.find_by_subject(&claims.sub).await.map_err(store_problem)?;
        // An access token stays valid when the password changes, but gets no refresh token then.
        let user = user.filter(|user| claims.may_change_tenant(user)).ok_or_else(invalid_token)?;
        let of_tenant = self.in_tenant(user, Some(memberships), Some(tenant)).await?;
        if of_tenant.tenant.is_none() {
            return Err(not_a_member());
        }
        let new = self.sessions.are_stored().then(new_id);
        let session = claims.sid.as_deref().or(new.as_deref()).map(Session);
        let refresh_token = self.tokens.issue_refresh(&of_tenant, session)?;
        self.response(&of_tenant, session, refresh_token, true)
    }
}

/// One answer, whether the tenant exists or not.
fn not_a_member() -> Problem {
    Problem::new(Code::NotFound, "the user is not a member of this tenant")
}
