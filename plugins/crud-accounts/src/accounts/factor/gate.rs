//! [`FactorGate`]: asks logins for their second factor.

use crud_runtime::adapter::BoxFuture;
use crud_runtime::auth::{SessionObserver, User, UserSession};
use crud_runtime::error::{Code, FieldError, Problem};
use crud_runtime::prelude::App;
use crud_runtime::{Error, Result};
use serde_json::Value;

use super::challenge::Challenge;
use super::record::Factor;
use crate::accounts::session_record::problem_of;
use crate::accounts::state::AccountsState;

/// Asks for the second factor at every route that takes a password: the login gets a challenge in place of tokens.
pub(crate) struct FactorGate;

impl FactorGate {
    async fn check(session: &UserSession<'_>) -> Result<()> {
        let (app, user) = (session.app, session.user);
        Self::check_confirmed(app, user, session.tenant).await?;
        Self::check_made(app, user, session.tenant).await
    }

    /// Asks a user to set up a second factor, where a role needs one and the user has none.
    pub(crate) async fn check_made(app: &App, user: &User, tenant: Option<&Value>) -> Result<()> {
        if has_factor(app, &user.subject).await? || needing_role(app, user).await?.is_none() {
            return Ok(());
        }
        Err(required(app, user, tenant, false).await)
    }

    /// Asks for the user's second factor, if there is one. After a login at an issuer, a user who has none is not asked
    /// to set one up: issuers have separate second factors.
    pub(crate) async fn check_confirmed(app: &App, user: &User, tenant: Option<&Value>) -> Result<()> {
        if has_factor(app, &user.subject).await? {
            return Err(required(app, user, tenant, true).await);
        }
        Ok(())
    }
}

/// The answer to a login that needs a second factor: a challenge, in place of tokens.
async fn required(app: &App, user: &User, tenant: Option<&Value>, has_factor: bool) -> Error {
    let challenge = match Challenge::make(app, user, tenant).await {
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

/// A role of a user that needs a second factor: in any tenant, or in none. The tenant of the session is not enough, as a
/// session changes to another tenant without a login.
pub(crate) async fn needing_role(app: &App, user: &User) -> Result<Option<String>> {
    let needing = &app.extension::<AccountsState>()?.factor_roles;
    if needing.is_empty() {
        return Ok(None);
    }
    let roles = app.users()?.roles_anywhere(user).await?;
    Ok(needing.iter().find(|role| roles.contains(role)).cloned())
}

impl SessionObserver for FactorGate {
    fn admit<'a>(&'a self, session: &'a UserSession<'a>) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move { Self::check(session).await.map_err(problem_of) })
    }
}
