//! Sessions of the service's own users, in handlers of the program.

use axum::http::header;
use serde_json::Value;

use super::context::Context;
use crate::auth::{Client, IssuedTokens, User, Users};
use crate::model::problem::Problem;

/// Sessions: what `/auth/login`, `/auth/refresh` and `/auth/logout` do, for routes that do not hand tokens to the
/// client's code, but keep them in a cookie, for example.
impl Context {
    /// Issues tokens for a user's name and password. `tenant`: one that the user belongs to, where the service has
    /// memberships; `None` is the one of its first membership.
    ///
    /// # Errors
    /// Errors of [`Auth::login`](crate::auth::Auth::login); `not_found` where the user is not a member of the tenant.
    pub async fn log_in(
        &self,
        username: &str,
        password: String,
        tenant: Option<Value>,
    ) -> Result<IssuedTokens, Problem> {
        self.auth()?.login_to(username, password, self.client(), self.memberships(), tenant).await
    }

    /// Issues tokens for a user of the service **without its password**, in place of a login: after the program's own
    /// proof, such as a second factor or another issuer's token. `subject` is [`User::subject`], and must not come from
    /// the request. No [observer](crate::auth::SessionObserver) is asked to admit the login.
    ///
    /// # Errors
    /// `invalid_credentials` for a user that is unknown or disabled; `not_found` where the user is not a member of the
    /// tenant.
    pub async fn log_in_as(&self, subject: &str, tenant: Option<Value>) -> Result<IssuedTokens, Problem> {
        self.auth()?.login_as(subject, self.client(), self.memberships(), tenant).await
    }

    /// The user with this name and password: a proof of identity, before a change that needs one. Attempts are limited
    /// like those of logins.
    ///
    /// # Errors
    /// `invalid_credentials`; `too_many_requests` after too many failures.
    pub async fn prove_password(&self, username: &str, password: String) -> Result<User, Problem> {
        self.auth()?.prove_password(username, password, self.client_address()).await
    }

    /// Issues new tokens for a refresh token, with the user's current roles.
    ///
    /// # Errors
    /// `refresh_failed`.
    pub async fn refresh(&self, refresh_token: String) -> Result<IssuedTokens, Problem> {
        self.auth()?.refresh(refresh_token, self.client(), self.memberships()).await
    }

    /// Issues tokens for the user of the access token of the request, for another of its tenants.
    ///
    /// # Errors
    /// `not_found` where the user is not a member of the tenant; `authentication_failed` without a token; `internal`
    /// where the service has no memberships.
    pub async fn change_tenant(&self, tenant: &Value) -> Result<IssuedTokens, Problem> {
        let missing = || Problem::internal("the service has no memberships");
        self.auth()?.change_tenant(self.headers(), self.memberships().ok_or_else(missing)?, tenant).await
    }

    /// Revokes the session of the access token of the request, with all its tokens.
    ///
    /// # Errors
    /// `authentication_failed` without a token; `internal` where the service has no sessions that can be revoked.
    pub async fn log_out(&self) -> Result<(), Problem> {
        self.auth()?.logout(self.headers()).await
    }

    /// The users in the service's own database, whose hooks act as the sender of the request.
    ///
    /// # Errors
    /// `internal` where the service has none.
    pub fn users(&self) -> Result<Users, Problem> {
        self.app().users()
    }

    /// The id of the session of the request's access token, as observers of sessions see it; `None` without one.
    ///
    /// # Errors
    /// A problem of status 401 when the token is not valid.
    pub async fn session_id(&self) -> Result<Option<String>, Problem> {
        self.auth()?.session_of(self.headers()).await
    }

    /// The client of the request, as observers of sessions see it.
    pub(crate) fn client(&self) -> Client<'_> {
        let user_agent = self.headers().get(header::USER_AGENT).and_then(|value| value.to_str().ok());
        Client { address: self.client_address(), user_agent }
    }
}
