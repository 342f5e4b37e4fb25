//! Sessions of the service's own users, in handlers of the program.

use serde_json::Value;

use super::context::Context;
use crate::auth::IssuedTokens;
use crate::model::problem::Problem;

/// Sessions: what `/auth/login`, `/auth/refresh` and `/auth/logout` do, for routes that keep tokens elsewhere than in the
/// client's hands, such as in a cookie.
impl Context {
    /// Issues tokens for a user's name and password. `tenant`: one that the user belongs to, where the service has
    /// memberships; `None` is the one of its first membership.
    ///
    /// # Errors
    /// Errors of [`Auth::login`](crate::auth::Auth::login); `not_found` where the user is no member of the tenant.
    pub async fn log_in(
        &self,
        username: &str,
        password: String,
        tenant: Option<Value>,
    ) -> Result<IssuedTokens, Problem> {
        self.auth()?.login_to(username, password, self.client_address(), self.memberships(), tenant).await
    }

    /// Issues new tokens for a refresh token, with the user's current roles.
    ///
    /// # Errors
    /// `refresh_failed`.
    pub async fn refresh(&self, refresh_token: String) -> Result<IssuedTokens, Problem> {
        self.auth()?.refresh(refresh_token, self.memberships()).await
    }

    /// Issues tokens for the user of the access token of the request, for another of its tenants.
    ///
    /// # Errors
    /// `not_found` where the user is no member of the tenant; `authentication_failed` without a token; `internal` where the
    /// service has no memberships.
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
}
