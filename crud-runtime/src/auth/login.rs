//! Logging in, refreshing, logging out.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::HeaderMap;
use serde::Serialize;

use super::authentication::problem;
use super::claims::{Kind, Verified, new_id};
use super::token::Session;
use super::{Auth, User, UserStore};
use crate::model::problem::{Code, Problem};

/// The answer to a login or a refresh.
#[derive(Serialize)]
pub(crate) struct TokenResponse {
    access_token: String,
    refresh_token: String,
    /// How long the access token is good, in seconds.
    expires_in: u64,
}

impl Auth {
    /// Tokens for whoever knows a user's password.
    ///
    /// An unknown name, a wrong password and a disabled user are one thing to the client, and take the same time.
    pub(crate) async fn login(
        &self,
        username: &str,
        password: String,
        address: Option<IpAddr>,
    ) -> Result<TokenResponse, Problem> {
        let attempt = self.throttle.begin(username, address).map_err(|wait| {
            Problem::new(Code::TooManyRequests, "too many attempts; try again later").retry_after(wait)
        })?;
        let user = self.users()?.find_by_username(username).await.map_err(problem)?;
        let hash = user.as_ref().map(|user| user.password_hash.clone());
        let is_genuine = self.passwords.verify(password, hash).await?;
        let Some(user) = user.filter(|user| is_genuine && !user.disabled) else {
            return Err(Problem::new(Code::InvalidCredentials, "invalid credentials"));
        };
        attempt.succeed();
        let session = self.sessions.are_kept().then(new_id);
        let session = session.as_deref().map(Session);
        let refresh_token = self.tokens.issue(Kind::Refresh, &user.principal(), session)?;
        self.response(&user, session, refresh_token)
    }

    /// A new access token for a refresh token, with what the user is by now.
    pub(crate) async fn refresh(&self, token: String) -> Result<TokenResponse, Problem> {
        let claims = self.tokens.verify(&token, Kind::Refresh).map_err(|problem| refused(problem.detail()))?;
        if self.sessions.are_kept() && self.is_revoked_for_refresh(&claims).await? {
            return Err(refused("invalid token"));
        }
        let user = self.users()?.find_by_subject(&claims.sub).await.map_err(problem)?;
        let is_good = |user: &User| !user.disabled && user.tokens_since.is_none_or(|time| claims.is_issued_since(time));
        let Some(user) = user.filter(is_good) else {
            return Err(refused("the user must log in again"));
        };
        let session = claims.sid.as_deref().map(Session);
        let refresh_token = if self.sessions.rotate {
            self.spend(&claims).await?;
            self.tokens.issue(Kind::Refresh, &user.principal(), session)?
        } else {
            token
        };
        self.response(&user, session, refresh_token)
    }

    /// Ends the session of a request's token: none of its tokens is good any more.
    pub(crate) async fn logout(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let claims = self.verify_request(headers).await?;
        let claims = claims.ok_or_else(|| Problem::new(Code::AuthenticationFailed, "authentication failed"))?;
        let until = self.end_of_all().max(claims.expires_at());
        for id in claims.ids() {
            self.revocations()?.revoke(id, until).await.map_err(problem)?;
        }
        Ok(())
    }

    fn users(&self) -> Result<&Arc<dyn UserStore>, Problem> {
        self.users.as_ref().ok_or_else(|| Problem::internal("tokens are issued elsewhere"))
    }

    fn response(
        &self,
        user: &User,
        session: Option<Session<'_>>,
        refresh_token: String,
    ) -> Result<TokenResponse, Problem> {
        let access_token = self.tokens.issue(Kind::Access, &user.principal(), session)?;
        Ok(TokenResponse { access_token, refresh_token, expires_in: self.tokens.access_lifetime })
    }

    /// Whether a refresh token cannot be used. One that was spent is left to [`spend`](Self::spend), which knows
    /// what that means.
    async fn is_revoked_for_refresh(&self, claims: &Verified) -> Result<bool, Problem> {
        match (&claims.jti, &claims.sid) {
            (Some(_), Some(session)) if self.sessions.rotate => {
                self.revocations()?.has_any(std::iter::once(session.as_str())).await.map_err(problem)
            }
            (Some(_), Some(_)) => self.is_revoked(claims).await,
            // A token of the time before sessions were kept.
            _ => Ok(true),
        }
    }

    /// Uses a refresh token up. Of requests with the same token one succeeds, and every other ends the session.
    async fn spend(&self, claims: &Verified) -> Result<(), Problem> {
        let (Some(id), Some(session)) = (&claims.jti, &claims.sid) else { return Err(refused("invalid token")) };
        let revocations = self.revocations()?;
        if revocations.revoke(id, claims.expires_at()).await.map_err(problem)? {
            return Ok(());
        }
        tracing::warn!(subject = claims.sub, "a refresh token was used twice; its session is over");
        revocations.revoke(session, self.end_of_all()).await.map_err(problem)?;
        Err(refused("the refresh token was used before"))
    }
}

fn refused(detail: &str) -> Problem {
    Problem::new(Code::RefreshFailed, detail)
}
