//! [`FactorGate`]: asks logins for their second factor.

use crud_runtime::adapter::BoxFuture;
use crud_runtime::auth::{SessionObserver, UserSession};
use crud_runtime::error::{Code, FieldError, Problem};
use crud_runtime::prelude::App;
use crud_runtime::{Error, Result};
use serde_json::Value;

use super::challenge::{Challenge, Purpose};
use super::record::Factor;
use crate::accounts::session_record::problem_of;
use crate::accounts::state::AccountsState;

/// Asks logins for their second factor, by every route that takes a password: they get a challenge in place of tokens.
pub(crate) struct FactorGate;

impl FactorGate {
    async fn check(session: &UserSession<'_>) -> Result<()> {
        let (app, user) = (session.app, session.user);
        let has_factor = Factor::of(app, &user.subject).await?.is_some_and(|factor| factor.is_confirmed());
        if !has_factor && !must_have(app.extension::<AccountsState>()?, session).await? {
            return Ok(());
        }
        Err(required(app, &user.subject, session.tenant, has_factor).await)
    }

    /// Asks a user who has a second factor for it, after a login at an issuer. One who has none is not asked: issuers have
    /// second factors of their own.
    #[cfg(feature = "oidc")]
    pub(crate) async fn check_confirmed(app: &App, subject: &str, tenant: Option<&Value>) -> Result<()> {
        if Factor::of(app, subject).await?.is_some_and(|factor| factor.is_confirmed()) {
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

/// Whether the user of a login has a role that needs a second factor: its own, one of the tenant, or one that these imply.
async fn must_have(state: &AccountsState, session: &UserSession<'_>) -> Result<bool> {
    if state.factor_roles.is_empty() {
        return Ok(false);
    }
    let roles = session.app.users()?.current_roles(&session.user.subject, session.tenant).await?.unwrap_or_default();
    Ok(state.factor_roles.iter().any(|role| roles.contains(role)))
}

impl SessionObserver for FactorGate {
    fn admit<'a>(&'a self, session: &'a UserSession<'a>) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move { Self::check(session).await.map_err(problem_of) })
    }
}
