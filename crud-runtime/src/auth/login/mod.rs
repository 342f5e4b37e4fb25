//! Login, refresh and logout.

pub(super) mod counters;
pub(super) mod hash_queue;
pub(super) mod password;
mod refused_login;
pub(crate) mod session_observer;
mod shared_failures;
pub(super) mod throttle;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use axum::http::HeaderMap;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value as Json;

use super::authentication::{duration, store_problem};
use super::memberships::Memberships;
use super::{Auth, User, UserStore};
use crate::auth::login::session_observer::{Client, Moment, SessionOf};
use crate::auth::login::throttle::Attempt;
use crate::auth::token::claims::{Session, TENANT, TokenKind, VerifiedClaims, new_id};
use crate::auth::token::of_tenant::TenantUser;
use crate::auth::token::rotation::refresh_failed;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};

/// The tokens of a login or a refresh.
#[derive(Clone, Serialize)]
#[non_exhaustive]
pub struct IssuedTokens {
    /// Authenticates requests.
    pub access_token: String,
    /// Gets new tokens at `POST /auth/refresh`.
    pub refresh_token: String,
    /// The lifetime of the access token, in seconds.
    pub expires_in: u64,
}

impl fmt::Debug for IssuedTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The tokens are secrets.
        f.debug_struct("IssuedTokens").field("expires_in", &self.expires_in).finish_non_exhaustive()
    }
}

impl Auth {
    /// Issues tokens for a user's name and password.
    ///
    /// An unknown name, a wrong password and a disabled user get the same response, after the same time. `address`: the
    /// client's, by which attempts are limited too.
    ///
    /// # Errors
    /// `invalid_credentials`; `too_many_requests` after too many failures.
    pub async fn login(
        &self,
        username: &str,
        password: String,
        address: Option<IpAddr>,
    ) -> Result<IssuedTokens, Problem> {
        self.login_to(username, password, Client { address, user_agent: None }, None, None).await
    }

    /// [`login`](Self::login) for a tenant that the user belongs to: the given one, or that of the first membership.
    ///
    /// # Errors
    /// Errors of [`login`](Self::login); `not_found` where the user is not a member of the tenant.
    pub(crate) async fn login_to(
        &self,
        username: &str,
        password: String,
        client: Client<'_>,
        memberships: Option<&Memberships>,
        tenant: Option<Json>,
    ) -> Result<IssuedTokens, Problem> {
        let user = self.prove_password(username, password, client.address).await?;
        let user = self.in_tenant(user, memberships, tenant.as_ref()).await?;
        self.tell(Moment::Admission, &user, None, client, self.latest_expiry()).await?;
        self.start(&user, memberships.is_some(), client).await
    }

    /// The user with this name and password.
    ///
    /// # Errors
    /// `invalid_credentials`; `too_many_requests` after too many failures.
    pub(crate) async fn prove_password(
        &self,
        username: &str,
        password: String,
        address: Option<IpAddr>,
    ) -> Result<User, Problem> {
        let attempt = self.begin_attempt(username, address).await?;
        let user = self.users()?.find_by_username(username).await.map_err(store_problem)?;
        let hash = user.as_ref().map(|user| user.password_hash.clone());
        let is_genuine = self.password_hasher.verify(password, hash).await?;
        let Some(user) = user.filter(|user| is_genuine && !user.disabled) else {
            attempt.fail();
            return Err(Problem::of(Code::InvalidCredentials));
        };
        attempt.succeed();
        Ok(user)
    }

    /// Issues tokens for an enabled user without its password, for one of its tenants.
    ///
    /// # Errors
    /// `invalid_credentials` for a user that is unknown or disabled; `not_found` for a user that is not a member of the
    /// tenant.
    pub(crate) async fn login_as(
        &self,
        subject: &str,
        client: Client<'_>,
        memberships: Option<&Memberships>,
        tenant: Option<Json>,
    ) -> Result<IssuedTokens, Problem> {
        let user = self.users()?.find_by_subject(subject).await.map_err(store_problem)?;
        let user = user.filter(|user| !user.disabled).ok_or_else(|| Problem::of(Code::InvalidCredentials))?;
        let user = self.in_tenant(user, memberships, tenant.as_ref()).await?;
        self.start(&user, memberships.is_some(), client).await
    }

    /// Starts a session.
    async fn start(
        &self,
        user: &TenantUser,
        changes_tenant: bool,
        client: Client<'_>,
    ) -> Result<IssuedTokens, Problem> {
        let id = self.sessions.are_stored().then(new_id);
        let session = id.as_deref().map(Session);
        let refresh_token = self.tokens.issue_refresh(user, session)?;
        let tokens = self.response(user, session, refresh_token, changes_tenant)?;
        self.tell(Moment::Start, user, id.as_deref(), client, self.latest_expiry()).await?;
        Ok(tokens)
    }

    /// Begins an attempt to prove a password.
    pub(super) async fn begin_attempt<'a>(
        &'a self,
        name: &'a str,
        address: Option<IpAddr>,
    ) -> Result<Attempt<'a>, Problem> {
        self.login_throttle
            .begin(name, address)
            .await
            .map_err(|wait| Problem::of(Code::TooManyRequests).retry_after(wait))
    }

    /// Issues an access token for a principal, in place of a login: of a user that has just been created, for example.
    ///
    /// # Errors
    /// `internal` when another issuer issues the tokens.
    pub fn access_token(&self, principal: &Principal) -> Result<String, Problem> {
        let session = self.sessions.are_stored().then(new_id);
        self.tokens.issue_access(principal, session.as_deref().map(Session), None)
    }

    /// Issues an access token for a refresh token, with the user's current roles and permissions, for the refresh
    /// token's tenant.
    pub(crate) async fn refresh(
        &self,
        token: String,
        client: Client<'_>,
        memberships: Option<&Memberships>,
    ) -> Result<IssuedTokens, Problem> {
        let claims =
            self.tokens.verify(&token, TokenKind::Refresh).map_err(|problem| refresh_failed(problem.detail()))?;
        if self.sessions.are_stored() && self.is_revoked_for_refresh(&claims).await? {
            return Err(refresh_failed("invalid token"));
        }
        let user = self.users()?.find_by_subject(&claims.sub).await.map_err(store_problem)?;
        let Some(user) = user.filter(|user| claims.may_refresh(user)) else {
            return Err(refresh_failed("the user must log in again"));
        };
        let user = match self.in_tenant(user, memberships, claims.own.get(TENANT)).await {
            Err(problem) if problem.code() == Code::NotFound => {
                return Err(refresh_failed("the user is not a member of the tenant any more: log in again"));
            }
            user => user?,
        };
        let session = claims.sid.as_deref().map(Session);
        let (refresh_token, expires_at) = if self.sessions.rotate {
            let successor = self.consume(&claims).await?;
            (self.tokens.issue_successor(&user, session, successor)?, self.latest_expiry())
        } else {
            // The last access token may outlive the refresh token.
            (token, claims.expires_at().max(self.tokens.clock.now() + duration(self.tokens.access_lifetime)))
        };
        self.tell(Moment::Refresh, &user, claims.sid.as_deref(), client, expires_at).await?;
        self.response(&user, session, refresh_token, memberships.is_some())
    }

    /// Revokes the session of a request's token, with all its tokens.
    pub(crate) async fn logout(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let claims = self.verify_request(headers).await?;
        self.end(&claims.ok_or_else(|| Problem::of(Code::AuthenticationFailed))?).await
    }

    /// Revokes the session of a refresh token, with all its tokens.
    pub(crate) async fn logout_of(&self, refresh_token: &str) -> Result<(), Problem> {
        self.end(&self.tokens.verify(refresh_token, TokenKind::Refresh)?).await
    }

    /// Revokes the session of a token, with all its tokens.
    async fn end(&self, claims: &VerifiedClaims) -> Result<(), Problem> {
        let until = self.latest_expiry().max(claims.expires_at());
        for id in claims.ids() {
            self.revocations()?.revoke(id, until).await.map_err(store_problem)?;
        }
        match &claims.sid {
            Some(session) => self.observers.tell_end(session).await,
            None => Ok(()),
        }
    }

    /// Notifies the observers of a moment of a session.
    async fn tell(
        &self,
        moment: Moment,
        TenantUser { user, tenant }: &TenantUser,
        id: Option<&str>,
        client: Client<'_>,
        expires_at: DateTime<Utc>,
    ) -> Result<(), Problem> {
        self.observers.tell(moment, SessionOf { id, user, tenant: tenant.as_ref(), expires_at, client }).await
    }

    /// The session of a request's access token.
    pub(crate) async fn session_of(&self, headers: &HeaderMap) -> Result<Option<String>, Problem> {
        Ok(self.verify_request(headers).await?.and_then(|claims| claims.sid))
    }

    pub(super) fn users(&self) -> Result<&Arc<dyn UserStore>, Problem> {
        self.users.as_ref().ok_or_else(|| Problem::internal("another issuer issues the tokens"))
    }

    /// The tokens of a user; `changes_tenant`: whether the access token can be exchanged for tokens of another tenant.
    pub(super) fn response(
        &self,
        TenantUser { user, .. }: &TenantUser,
        session: Option<Session<'_>>,
        refresh_token: String,
        changes_tenant: bool,
    ) -> Result<IssuedTokens, Problem> {
        let access_token = self.tokens.issue_access(&user.principal(), session, changes_tenant.then_some(user))?;
        Ok(IssuedTokens { access_token, refresh_token, expires_in: self.tokens.access_lifetime })
    }

    /// Whether a refresh token is revoked. With rotation, only its session counts here: [`consume`](Self::consume) detects
    /// its reuse.
    async fn is_revoked_for_refresh(&self, claims: &VerifiedClaims) -> Result<bool, Problem> {
        match (&claims.jti, &claims.sid) {
            (Some(_), Some(session)) if self.sessions.rotate => {
                self.revocations()?.has_any(std::iter::once(session.as_str())).await.map_err(store_problem)
            }
            (Some(_), Some(_)) => self.is_revoked(claims).await,
            // Issued before sessions were stored.
            _ => Ok(true),
        }
    }
}
