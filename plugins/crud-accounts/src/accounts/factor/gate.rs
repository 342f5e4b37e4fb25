//! [`FactorGate`]: asks logins for their second factor.

use crud_runtime::adapter::BoxFuture;
use crud_runtime::auth::{SessionObserver, User, UserSession};
use crud_runtime::error::{Code, FieldError, Problem};
use crud_runtime::prelude::App;
use crud_runtime::{Error, Result};
use serde_json::Value;

use super::challenge::{Challenge, Purpose};
use super::record::Factor;
use crate::accounts::session_record::problem_of;
use crate::accounts::state::AccountsState;

/// Asks for the second factor at every route that takes a password: the login gets a challenge in place of tokens.
pub(crate) struct FactorGate;

impl FactorGate {
    async fn check(session: &UserSession<'_>) -> Result<()> {
        let (app, user) = (session.app, session.user);
        if has_factor(app, &user.subject).await? {
            return Err(required(app, &user.subject, session.tenant, true).await);
        }
        Self::check_made(app, user, session.tenant).await
    }

    /// Asks a user to set up a second factor, where a role needs one and the user has none.
    pub(crate) async fn check_made(app: &App, user: &User, tenant: Option<&Value>) -> Result<()> {
        if has_factor(app, &user.subject).await? || !must_have(app, user).await? {
            return Ok(());
        }
        Err(required(app, &user.subject, tenant, false).await)
    }

    /// Asks for the user's second factor after a login at an issuer. A user who has none is not asked to set one up:
    /// issuers have separate second factors.
    #[cfg(feature = "oidc")]
    pub(crate) async fn check_confirmed(app: &App, subject: &str, tenant: Option<&Value>) -> Result<()> {
        if has_factor(app, subject).await? {
            return Err(required(app, subject, tenant, true).await);
        }
        Ok(())
    }
}

/// The answer to a login that needs a second factor: a challenge, in place of tokens.
async fn required(app: &App, subject: &str, tenant: Option<&Value>, has_factor: bool) -> Error {
    let challenge = match Challenge::make(app, Purpose::Factor, subject, tenant).await {
        Ok(challenge) => challenge,
        Err(error) => return error,
    };
    let detail = if has_factor {
        "send the code of the app with the challenge"
    } else {
        "the user needs a second factor: make one with the challenge"
    };
    let params = [("challenge", challenge.text().into()), ("enrolled", Value::Bool(has_factor))];
    let error = FieldError::whole("second_factor_required", detail).with_params(params);
    Error::Problem(Problem::with_errors(Code::AuthenticationFailed, [error]))
}

/// Whether a user has a confirmed second factor.
async fn has_factor(app: &App, subject: &str) -> Result<bool> {
    Ok(Factor::of(app, subject).await?.is_some_and(|factor| factor.is_confirmed()))
}

/// Whether a user has a role that needs a second factor: in any tenant, or in none. The login's own tenant is not
/// enough, as a session changes to another tenant without a login.
async fn must_have(app: &App, user: &User) -> Result<bool> {
    let needing = &app.extension::<AccountsState>()?.factor_roles;
    if needing.is_empty() {
        return Ok(false);
    }
    let users = app.users()?;
    let memberships = users.memberships(user).await?;
    for tenant in memberships.iter().map(|membership| Some(&membership.tenant)).chain([None]) {
        let roles = users.current_roles(&user.subject, tenant).await?.unwrap_or_default();
        if needing.iter().any(|role| roles.contains(role)) {
            return Ok(true);
        }
    }
    Ok(false)
}

impl SessionObserver for FactorGate {
    fn admit<'a>(&'a self, session: &'a UserSession<'a>) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move { Self::check(session).await.map_err(problem_of) })
    }
}
