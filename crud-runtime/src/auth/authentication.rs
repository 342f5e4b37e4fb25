//! [`Auth`]: the authentication of a service.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::HeaderMap;
use chrono::{DateTime, TimeDelta, Utc};

use super::claims::{Kind, Verified};
use super::login_throttle::LoginThrottle;
use super::password::Passwords;
use super::revocation::{Revocation, Revocations};
use super::token::{Tokens, invalid_token};
use super::users_table::AuthUser;
use super::{AuthBuilder, UserStore, Users, bearer_token};
use crate::model::descriptor::Descriptor;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::model::resource::Resource;
use crate::storage::adapter::Adapter;
use crate::storage::error::{Error, Result};

/// The authentication of a service: its keys, its users and its limits, for
/// [`Service::auth`](crate::service::builder::Service::auth).
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
    /// None until a service has it, where the users are those of the service's own table.
    pub(super) users: Option<Arc<dyn UserStore>>,
    pub(super) passwords: Passwords,
    pub(super) throttle: LoginThrottle,
    pub(super) sessions: Sessions,
    /// None until a service has it, and where nothing can be revoked.
    pub(super) revocations: Option<Revocations>,
    pub(crate) behind_tls_proxy: bool,
}

/// What is kept of logins in the database.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sessions {
    /// Every refresh gives a new refresh token.
    pub(super) rotate: bool,
    /// Tokens can be revoked.
    pub(super) revocable: bool,
}

impl Sessions {
    /// Whether anything is kept.
    pub(super) fn are_kept(self) -> bool {
        self.rotate || self.revocable
    }
}

impl Auth {
    /// HS256 with the secret in the variable `JWT_SECRET_KEY`, and everything else as it is by default.
    ///
    /// # Errors
    /// [`Error::Setup`] when the variable is not set, or has fewer than 32 bytes.
    pub fn from_env() -> Result<Self> {
        Self::builder().build()
    }

    /// Authentication to be put together.
    pub fn builder() -> AuthBuilder {
        AuthBuilder::new()
    }

    /// The same over a service's database.
    pub(crate) fn with_adapter(mut self, adapter: &Arc<dyn Adapter>) -> Self {
        if self.users.is_none() && self.tokens.issues() {
            self.users = Some(Arc::new(Users::new(adapter.clone(), self.passwords.clone())));
        }
        if self.sessions.are_kept() {
            self.revocations = Some(Revocations::new(adapter.clone()));
        }
        self
    }

    /// The tables that it needs.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &'static Descriptor> {
        let users = self.tokens.issues().then_some(AuthUser::DESCRIPTOR);
        let revocations = self.sessions.are_kept().then_some(Revocation::DESCRIPTOR);
        users.into_iter().chain(revocations)
    }

    /// Whether it issues tokens.
    pub(crate) fn issues(&self) -> bool {
        self.tokens.issues()
    }

    /// Whether it takes tokens back.
    pub(crate) fn revokes(&self) -> bool {
        self.sessions.revocable
    }

    /// Whether users are those of the service's own table; to be asked before a service has it.
    #[cfg(feature = "config")]
    pub(crate) fn keeps_users(&self) -> bool {
        self.users.is_none() && self.issues()
    }

    pub(crate) fn passwords(&self) -> &Passwords {
        &self.passwords
    }

    /// Whether tokens that come to this address may have crossed a network in clear.
    pub(crate) fn is_exposed_on(&self, address: IpAddr) -> bool {
        !self.behind_tls_proxy && !address.to_canonical().is_loopback()
    }

    /// Who sends a request with these headers; `None` when it carries no token.
    ///
    /// # Errors
    /// `authentication_failed`, `invalid_token` or `token_expired` when it carries one that does not tell.
    pub async fn authenticate(&self, headers: &HeaderMap) -> Result<Option<Principal>, Problem> {
        Ok(self.verify_request(headers).await?.map(Verified::principal))
    }

    /// What the access token of a request says.
    pub(super) async fn verify_request(&self, headers: &HeaderMap) -> Result<Option<Verified>, Problem> {
        let Some(token) = bearer_token::from_headers(headers)? else { return Ok(None) };
        let claims = self.tokens.verify(token, Kind::Access)?;
        if self.sessions.revocable && self.is_revoked(&claims).await? {
            return Err(invalid_token());
        }
        Ok(Some(claims))
    }

    /// Revokes the token with this `jti`, or all of a login by their `sid`, from the next request on.
    ///
    /// # Errors
    /// [`Error::Setup`] when the builder's [`logout`](AuthBuilder::logout) was not called; when the database fails.
    pub async fn revoke(&self, id: &str) -> Result<()> {
        match &self.revocations {
            Some(revocations) if self.sessions.revocable => {
                revocations.revoke(id, self.end_of_all()).await?;
                Ok(())
            }
            _ => Err(Error::Setup("tokens can be revoked where `AuthBuilder::logout` was called".into())),
        }
    }

    /// Whether a token or its session was revoked. A token that names neither could not be, so it is refused too.
    pub(super) async fn is_revoked(&self, claims: &Verified) -> Result<bool, Problem> {
        let revocations = self.revocations()?;
        if claims.jti.is_none() {
            return Ok(true);
        }
        revocations.has_any(claims.ids()).await.map_err(problem)
    }

    pub(super) fn revocations(&self) -> Result<&Revocations, Problem> {
        self.revocations.as_ref().ok_or_else(|| Problem::internal("the authentication belongs to no service"))
    }

    /// By when every token of today has ended.
    pub(super) fn end_of_all(&self) -> DateTime<Utc> {
        let seconds = self.tokens.access_lifetime.max(self.tokens.refresh_lifetime);
        let lifetime = i64::try_from(seconds).ok().and_then(TimeDelta::try_seconds).unwrap_or_default();
        Utc::now() + lifetime
    }
}

/// What a failure of a store says to a client: whether to try again, and no more.
pub(super) fn problem(error: Error) -> Problem {
    match error {
        Error::Problem(problem) if matches!(problem.code(), Code::Unavailable | Code::Timeout) => problem,
        other => Problem::internal(other),
    }
}

#[cfg(test)]
mod tests {
    use super::Auth;

    #[test]
    fn only_loopback_and_what_is_behind_tls_is_not_exposed() {
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
