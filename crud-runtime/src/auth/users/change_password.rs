//! Change of a password by its user.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::HeaderMap;

use crate::auth::authentication::store_problem;
use crate::auth::{Auth, Users};
use crate::model::access::Enforcement;
use crate::model::problem::{Code, FieldError, Problem};
use crate::storage::error::Error;
use crate::store::app::App;
use crate::store::scope::caller::Caller;

impl Auth {
    /// The users in the service's own table, with the program's rules about changes; none where they are elsewhere.
    pub(crate) fn own_users(&self, app: &App) -> Option<Users> {
        let users =
            self.keeps_users.then(|| Users::new(app.adapter().clone(), app.clock(), self.password_hasher.clone()))?;
        Some(match &self.user_hooks {
            Some(hooks) => users.with_hooks(hooks.clone(), app.clone()),
            None => users,
        })
    }

    /// Sets the password of the user of a request's token, who knows the old one. Refresh tokens issued before are refused,
    /// and the session of the request ends at once where sessions can be revoked.
    ///
    /// # Errors
    /// Errors of a token; `validation_failed` when the old password is wrong, or the new one too short or too long;
    /// `too_many_requests` after too many failures.
    pub(crate) async fn change_password(
        &self,
        headers: &HeaderMap,
        app: &App,
        [old, new]: [String; 2],
        address: Option<IpAddr>,
    ) -> Result<(), Problem> {
        let unknown = || Problem::of(Code::AuthenticationFailed);
        let user = Arc::new(self.authenticate(headers).await?.ok_or_else(unknown)?);
        let app = app.of_caller(Caller::of_request(Some(user.clone()), Enforcement::All), Some(&user));
        let users = self.own_users(&app).ok_or_else(|| Problem::internal("the users are elsewhere"))?;
        let found = users.find_named(user.subject()).await.map_err(store_problem)?;
        let (name, user) = found.filter(|(_, user)| !user.disabled).ok_or_else(unknown)?;
        let attempt = self.begin_attempt(&name, address).await?;
        if !self.password_hasher.verify(old, Some(user.password_hash)).await? {
            attempt.fail();
            let wrong = FieldError::field("old_password", "wrong", "is not the password");
            return Err(Problem::validation([wrong]));
        }
        attempt.succeed();
        let hash = self.password_hasher.hash(&new).await.map_err(of_new_password)?;
        users.set_password_hash(&name, hash).await.map_err(|error| match error {
            Error::Problem(problem) => problem,
            other => store_problem(other),
        })?;
        if self.has_logout() { self.logout(headers).await } else { Ok(()) }
    }
}

/// The problem of a password, with its errors at the body's member `new_password`.
fn of_new_password(problem: Problem) -> Problem {
    if problem.code() != Code::ValidationFailed {
        return problem;
    }
    let moved = |error: &FieldError| FieldError::field("new_password", error.code(), error.detail());
    Problem::validation(problem.errors().iter().map(moved))
}
