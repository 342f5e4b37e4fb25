//! [`Auth`]: the authentication of a service.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::HeaderMap;
use chrono::{DateTime, TimeDelta, Utc};

#[cfg(feature = "auth-issuers")]
use super::issuer::{IssuerCopy, TrustedIssuers};
use super::token::Tokens;
use super::token::verification::invalid_token;
use super::{User, UserHooks, UserStore, Users};
use crate::auth::key::signature::Verifier;
use crate::auth::login::password::PasswordHasher;
use crate::auth::login::session_observer::SessionObservers;
use crate::auth::login::throttle::LoginThrottle;
use crate::auth::token::bearer as bearer_token;
use crate::auth::token::claims::{TokenKind, VerifiedClaims};
use crate::auth::token::revocation::{Revocation, Revocations};
use crate::auth::users::table::AuthUser;
use crate::model::clock::Clock;
use crate::model::descriptor::Descriptor;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::model::resource::Resource;
use crate::storage::adapter::Adapter;
use crate::storage::error::{Error, Result};
use crate::store::app::App;

/// The authentication of a service, for [`Service::auth`](crate::service::builder::Service::auth).
///
/// ```no_run
/// use crud_runtime::auth::Auth;
/// use crud_runtime::prelude::*;
///
/// #[derive(Resource)]
/// struct Book { id: i64, title: String }
///
/// #[tokio::main]
/// async fn main() -> crud_runtime::Result<()> {
///     let service = Service::connect("sqlite://books.db").await?.auth(Auth::from_env()?).resource::<Book>();
///     let service = service.migrate().await?;
///     service.users().create_user("ada", "correct horse").await?;
///     service.serve("127.0.0.1:8000").await
/// }
/// ```
#[derive(Debug)]
pub struct Auth {
    pub(super) tokens: Tokens,
    /// The other issuers whose tokens are accepted.
    #[cfg(feature = "auth-issuers")]
    pub(super) issuers: TrustedIssuers,
    /// None until [`with_adapter`](Self::with_adapter), if users are in the service's own table.
    pub(super) users: Option<Arc<dyn UserStore>>,
    /// Whether users are in the service's own table.
    pub(super) keeps_users: bool,
    pub(super) password_hasher: PasswordHasher,
    pub(super) login_throttle: LoginThrottle,
    /// Whether all servers of the database count failed logins together.
    pub(super) shares_login_attempts: bool,
    pub(super) sessions: SessionOptions,
    /// None until [`with_adapter`](Self::with_adapter), and if sessions are not stored.
    pub(super) revocations: Option<Revocations>,
    pub(crate) behind_tls_proxy: bool,
    /// Number of proxies in front of the service, each of which appends its peer's address to `X-Forwarded-For`.
    pub(crate) proxy_hops: usize,
    /// The claim that names a principal's tenant.
    pub(crate) tenant_claim: Option<String>,
    /// The scheme of the `Authorization` header.
    pub(crate) scheme: Arc<str>,
    /// The program's rules about changes of users in the service's own table.
    pub(crate) user_hooks: Option<Arc<UserHooks>>,
    /// The observers of sessions, once the authentication is part of a service that starts.
    pub(crate) observers: SessionObservers,
}

/// Options for the storage of sessions in the database.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SessionOptions {
    /// Whether each refresh returns a new refresh token.
    pub(super) rotate: bool,
    /// Whether tokens can be revoked.
    pub(super) revocable: bool,
}

impl SessionOptions {
    /// Whether sessions are stored at all.
    pub(super) fn are_stored(self) -> bool {
        self.rotate || self.revocable
    }
}

impl Auth {
    /// Sets the service's database, for the tables of authentication, and the service's clock.
    pub(crate) fn with_adapter(mut self, adapter: &Arc<dyn Adapter>, clock: &Clock) -> Self {
        self.tokens.clock = clock.clone();
        if self.users.is_none() && self.issues_tokens() {
            self.keeps_users = true;
            self.users = Some(Arc::new(Users::new(adapter.clone(), clock, self.password_hasher.clone())));
        }
        #[cfg(feature = "auth-issuers")]
        self.issuers.set_service(adapter, clock);
        if self.shares_login_attempts {
            self.login_throttle.share(App::internal(adapter.clone(), clock));
        }
        if self.sessions.are_stored() {
            self.revocations = Some(Revocations::new(adapter.clone(), clock));
        }
        self
    }

    /// The table of users.
    pub(crate) const USERS_TABLE: &'static Descriptor = AuthUser::DESCRIPTOR;

    /// The table of revoked tokens and sessions.
    pub(crate) const REVOCATIONS_TABLE: &'static Descriptor = Revocation::DESCRIPTOR;

    /// The table of the last good copies of other issuers' keys.
    #[cfg(feature = "auth-issuers")]
    pub(crate) const ISSUERS_TABLE: &'static Descriptor = IssuerCopy::DESCRIPTOR;

    /// The tables of authentication: users if it issues tokens, revocations if it stores sessions, other issuers' keys if it
    /// trusts some.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &'static Descriptor> {
        let users = self.issues_tokens().then_some(Self::USERS_TABLE);
        let revocations = self.sessions.are_stored().then_some(Self::REVOCATIONS_TABLE);
        #[cfg(feature = "auth-issuers")]
        let issuers = (!self.issuers.is_empty()).then_some(Self::ISSUERS_TABLE);
        #[cfg(not(feature = "auth-issuers"))]
        let issuers = None;
        users.into_iter().chain(revocations).chain(issuers)
    }

    /// Fetches the keys of the other issuers whose tokens are accepted.
    #[cfg(feature = "auth-issuers")]
    pub(crate) fn start_issuers(&self) {
        self.issuers.start();
    }

    /// Whether the service issues tokens.
    pub(crate) fn issues_tokens(&self) -> bool {
        self.tokens.signer.is_some()
    }

    /// Whether tokens can name a tenant: in a claim, or by a function of the program that makes principals from an
    /// issuer's claims.
    pub(crate) fn can_name_tenants(&self) -> bool {
        #[cfg(feature = "auth-issuers")]
        let is_of_issuer = self.issuers.make_principals();
        #[cfg(not(feature = "auth-issuers"))]
        let is_of_issuer = false;
        self.tenant_claim.is_some() || is_of_issuer
    }

    /// The lifetime of an access token, in seconds.
    pub(crate) fn access_lifetime(&self) -> u64 {
        self.tokens.access_lifetime
    }

    /// Whether users can change their passwords: the service issues tokens, and users are in its own table.
    pub(crate) fn has_password_route(&self) -> bool {
        self.issues_tokens() && (self.keeps_users || self.users.is_none())
    }

    /// Whether there are keys of another issuer and no audience, by which its access tokens differ from its other
    /// tokens.
    pub(crate) fn lacks_audience(&self) -> bool {
        !self.tokens.foreign.has_audience && self.tokens.verifiers.iter().any(Verifier::is_foreign)
    }

    /// Whether all servers of the database count failed logins together.
    pub(crate) const fn shares_login_attempts(&self) -> bool {
        self.shares_login_attempts
    }

    /// The claim that names a principal's tenant: see [`AuthBuilder::tenant_claim`](super::AuthBuilder::tenant_claim).
    pub fn tenant_claim(&self) -> Option<&str> {
        self.tenant_claim.as_deref()
    }

    /// Whether tokens can be revoked: see [`AuthBuilder::logout`](super::AuthBuilder::logout).
    pub fn has_logout(&self) -> bool {
        self.sessions.revocable
    }

    /// Whether users are in the service's own table; valid before [`with_adapter`](Self::with_adapter).
    #[cfg(feature = "config")]
    pub(crate) fn has_users_table(&self) -> bool {
        self.users.is_none() && self.issues_tokens()
    }

    /// Whether users are in the service's own table; valid after [`with_adapter`](Self::with_adapter).
    pub(crate) const fn keeps_users(&self) -> bool {
        self.keeps_users
    }

    pub(crate) fn password_hasher(&self) -> &PasswordHasher {
        &self.password_hasher
    }

    /// Whether requests to this address may cross a network without TLS.
    pub(crate) fn is_exposed_on(&self, address: IpAddr) -> bool {
        !self.behind_tls_proxy && !address.to_canonical().is_loopback()
    }

    /// The principal of a request with these headers; `None` without a token.
    ///
    /// # Errors
    /// `authentication_failed`, `invalid_token` or `token_expired` for a token that is not valid.
    pub async fn authenticate(&self, headers: &HeaderMap) -> Result<Option<Principal>, Problem> {
        let claims = self.verify_request(headers).await?;
        Ok(claims.map(|claims| claims.principal(self.tenant_claim.as_deref())))
    }

    /// The user with this login name, if there is one.
    ///
    /// # Errors
    /// `internal` where another issuer issues the tokens; when the lookup fails.
    pub async fn user_named(&self, username: &str) -> Result<Option<User>, Problem> {
        self.users()?.find_by_username(username).await.map_err(store_problem)
    }

    /// The principal of a user as new tokens would name it: with its current roles, permissions and claims, and the tenant of its
    /// claims. `None` without such a user, and for a disabled one.
    ///
    /// It is for [sources of principals](crate::AccessOptions::principal_source) whose credentials belong to users.
    ///
    /// # Errors
    /// `internal` where another issuer issues the tokens; when the lookup fails.
    pub async fn current_principal(&self, subject: &str) -> Result<Option<Principal>, Problem> {
        let user = self.users()?.find_by_subject(subject).await.map_err(store_problem)?;
        let principal = user.filter(|user| !user.disabled).map(|user| user.principal());
        let tenant = |principal: &Principal| principal.claim(self.tenant_claim.as_deref()?).cloned();
        Ok(principal.map(|principal| match tenant(&principal) {
            Some(tenant) => principal.with_tenant(tenant),
            None => principal,
        }))
    }

    /// The claims of a request's access token; `None` without a token.
    pub(super) async fn verify_request(&self, headers: &HeaderMap) -> Result<Option<VerifiedClaims>, Problem> {
        let Some(token) = bearer_token::from_headers(headers, &self.scheme)? else { return Ok(None) };
        let claims = self.verify_access(token).await?;
        if self.sessions.revocable && self.is_revoked(&claims).await? {
            return Err(invalid_token());
        }
        Ok(Some(claims))
    }

    /// The claims of an access token: of the issuer that it names, or of this service's keys.
    #[cfg_attr(not(feature = "auth-issuers"), allow(clippy::unused_async))]
    async fn verify_access(&self, token: &str) -> Result<VerifiedClaims, Problem> {
        #[cfg(feature = "auth-issuers")]
        if let Some(issuer) = self.issuers.of(token) {
            return issuer.verify(token).await;
        }
        self.tokens.verify(token, TokenKind::Access)
    }

    /// Revokes the token with this `jti`, or every token of the session with this `sid`, from the next request on.
    ///
    /// # Errors
    /// [`Error::Setup`] when the builder's [`logout`](super::AuthBuilder::logout) was not called; when the database
    /// fails.
    pub async fn revoke(&self, id: &str) -> Result<()> {
        match &self.revocations {
            Some(revocations) if self.sessions.revocable => {
                revocations.revoke(id, self.latest_expiry()).await?;
                Ok(())
            }
            _ => Err(Error::Setup("to revoke tokens, call `AuthBuilder::logout`".into())),
        }
    }

    /// Whether a token or its session is revoked. A token without ids, or with ids that cannot be stored, cannot be
    /// revoked: it counts as revoked.
    pub(super) async fn is_revoked(&self, claims: &VerifiedClaims) -> Result<bool, Problem> {
        let revocations = self.revocations()?;
        if !claims.is_revocable() {
            return Ok(true);
        }
        revocations.has_any(claims.ids()).await.map_err(store_problem)
    }

    pub(super) fn revocations(&self) -> Result<&Revocations, Problem> {
        self.revocations.as_ref().ok_or_else(|| Problem::internal("the authentication is not part of a service"))
    }

    /// The latest expiry of any token issued until now.
    pub(super) fn latest_expiry(&self) -> DateTime<Utc> {
        let seconds = self.tokens.access_lifetime.max(self.tokens.refresh_lifetime);
        self.tokens.clock.now() + duration(seconds)
    }
}

/// The duration of a lifetime in seconds.
pub(super) fn duration(seconds: u64) -> TimeDelta {
    i64::try_from(seconds).ok().and_then(TimeDelta::try_seconds).unwrap_or_default()
}

/// The problem of a store's error: only whether to retry is returned, the cause is logged.
pub(super) fn store_problem(error: Error) -> Problem {
    match error {
        Error::Problem(problem) if matches!(problem.code(), Code::Unavailable | Code::Timeout) => problem,
        other => Problem::internal(other),
    }
}

#[cfg(test)]
mod tests {
    use super::Auth;

    #[test]
    fn an_address_is_exposed_unless_loopback_or_behind_tls() {
        let builder = || Auth::builder().secret("a secret of at least thirty-two bytes");
        let (plain, proxied) = (builder().build().unwrap(), builder().behind_tls_proxy().build().unwrap());
        for (address, exposed) in [
            ("127.0.0.1", false),
            ("::1", false),
            ("::ffff:127.0.0.1", false),
            ("0.0.0.0", true),
            ("10.0.0.1", true),
            ("::", true),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(plain.is_exposed_on(address), exposed, "{address}");
            assert!(!proxied.is_exposed_on(address), "{address}");
        }
    }
}
