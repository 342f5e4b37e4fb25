//! `/auth/factor`: the second factor.

use crud_runtime::access::Access;
use crud_runtime::auth::IssuedTokens;
use crud_runtime::axum::Json;
use crud_runtime::error::{Code, FieldError, Problem};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Routes, Status, Valid, post};
use crud_runtime::{Error, Result, Schema};
use serde::Serialize;
use utoipa::ToSchema;

use super::address::caller;
use super::described;
use crate::accounts::factor::challenge::{Challenge, Purpose};
use crate::accounts::factor::gate::needing_role;
use crate::accounts::factor::record::{Checked, Factor};
use crate::accounts::factor::recovery::RecoveryCode;
use crate::accounts::state::AccountsState;

/// The password of the caller.
#[derive(Schema)]
struct FactorPassword {
    /// The password.
    #[crud(write_only, length(max = 1024))]
    password: String,
}

/// A code of the app.
#[derive(Schema)]
struct FactorCode {
    /// The six digits of the app.
    #[crud(write_only, length(min = 6, max = 40))]
    code: String,
}

/// The challenge of a login.
#[derive(Schema)]
struct FactorChallenge {
    /// The `challenge` of the login's problem.
    #[crud(write_only, length(min = 64, max = 64))]
    challenge: String,
}

/// The challenge of a login, and a code.
#[derive(Schema)]
struct FactorLogin {
    /// The `challenge` of the login's problem.
    #[crud(write_only, length(min = 64, max = 64))]
    challenge: String,
    /// The six digits of the app, or a recovery code.
    #[crud(write_only, length(min = 6, max = 40))]
    code: String,
}

/// A password, and a code.
#[derive(Schema)]
struct FactorProof {
    /// The password.
    #[crud(write_only, length(max = 1024))]
    password: String,
    /// The six digits of the app, or a recovery code.
    #[crud(write_only, length(min = 6, max = 40))]
    code: String,
}

/// A secret for an app.
#[derive(Serialize, ToSchema)]
struct FactorSetup {
    /// The secret, in Base32, which people type.
    secret: String,
    /// The link that an app takes the secret from.
    uri: String,
}

/// The recovery codes of a user, which are shown once.
#[derive(Serialize, ToSchema)]
struct RecoveryCodes {
    /// The codes: each counts once.
    recovery_codes: Vec<String>,
}

/// The tokens of a login with a second factor.
#[derive(Serialize, ToSchema)]
struct FactorTokens {
    /// The access token, for `Authorization: Bearer …`.
    access_token: String,
    /// The refresh token, for a new access token.
    refresh_token: String,
    /// The lifetime of the access token, in seconds.
    expires_in: u64,
    /// Recovery codes, where the login has confirmed a new factor: each counts once, and they are shown once.
    recovery_codes: Option<Vec<String>>,
}

pub(super) fn routes(auth: &str) -> Routes {
    let limited = [Code::InvalidCredentials, Code::TooManyRequests, Code::Conflict];
    let description =
        "Makes a secret for an app of the caller, who proves its password. It counts when a code confirms it.";
    let begin = described(post(begin), "beginFactor", "Begin a second factor", description).problems(limited);
    let description = "Confirms the secret by a code of the app. Logins need a code from now on.";
    let confirm = described(post(confirm), "confirmFactor", "Confirm a second factor", description).problems(limited);
    let description = "Removes the second factor of the caller, unless one of its roles needs one.";
    let remove = described(post(remove), "removeFactor", "Remove the second factor", description).problems(limited);
    let description = "Makes ten recovery codes in place of the caller's former ones. The caller proves its password, and \
                       its factor by a code.";
    let renew = described(post(renew), "renewRecoveryCodes", "Make new recovery codes", description).problems(limited);
    let description = "Makes a secret for a user whose login was answered with a challenge, and who has no factor yet.";
    let enrol =
        described(post(enrol), "enrolFactor", "Begin a second factor at a login", description).problems(limited);
    let description = "Returns the tokens of a login by its challenge and a code.";
    let login = described(post(login), "loginWithFactor", "Log in with a second factor", description).problems(limited);
    Routes::new()
        .route(format!("{auth}/factor"), begin.access(Access::Authenticated))
        .route(format!("{auth}/factor/confirm"), confirm.access(Access::Authenticated))
        .route(format!("{auth}/factor/recovery"), renew.access(Access::Authenticated))
        .route(format!("{auth}/factor/remove"), remove.access(Access::Authenticated))
        .route(format!("{auth}/factor/enrol"), enrol.access(Access::Public))
        .route(format!("{auth}/factor/login"), login.access(Access::Public))
}

async fn begin(ctx: Context, Valid(body): Valid<FactorPassword>) -> Result<Status<201, Json<FactorSetup>>> {
    let (subject, name) = caller(&ctx).await?;
    ctx.prove_password(&name, body.password).await?;
    make(&ctx.app().unscoped(), &subject, &name).await
}

async fn confirm(ctx: Context, Valid(body): Valid<FactorCode>) -> Result<Json<RecoveryCodes>> {
    let (app, (subject, _)) = (ctx.app().unscoped(), caller(&ctx).await?);
    let factor = Factor::of(&app, &subject).await?.filter(|factor| !factor.is_confirmed());
    check(&app, &factor.ok_or_else(has_none)?, &body.code).await?;
    tracing::info!(user = subject, "a second factor is confirmed");
    Ok(Json(RecoveryCodes { recovery_codes: RecoveryCode::make(&app, &subject).await? }))
}

async fn remove(ctx: Context, Valid(body): Valid<FactorProof>) -> Result<()> {
    let (app, (subject, name)) = (ctx.app().unscoped(), caller(&ctx).await?);
    let user = ctx.prove_password(&name, body.password).await?;
    if let Some(role) = needing_role(&app, &user).await? {
        let detail = format!("the role `{role}` needs a second factor");
        return Err(Error::Problem(Problem::new(Code::Conflict, detail)));
    }
    check(&app, &Factor::of(&app, &subject).await?.ok_or_else(has_none)?, &body.code).await?;
    tracing::info!(user = subject, "a second factor is removed");
    Factor::remove(&app, &subject).await
}

async fn renew(ctx: Context, Valid(body): Valid<FactorProof>) -> Result<Json<RecoveryCodes>> {
    let (app, (subject, name)) = (ctx.app().unscoped(), caller(&ctx).await?);
    ctx.prove_password(&name, body.password).await?;
    let factor = Factor::of(&app, &subject).await?.filter(Factor::is_confirmed);
    check(&app, &factor.ok_or_else(has_none)?, &body.code).await?;
    tracing::info!(user = subject, "a user has new recovery codes");
    Ok(Json(RecoveryCodes { recovery_codes: RecoveryCode::make(&app, &subject).await? }))
}

async fn enrol(ctx: Context, Valid(body): Valid<FactorChallenge>) -> Result<Status<201, Json<FactorSetup>>> {
    let app = ctx.app().unscoped();
    let (challenge, _) = Challenge::find(&app, Purpose::Factor, &body.challenge).await?.ok_or_else(over)?;
    let name = app.users()?.name_of(&challenge.subject).await?.ok_or_else(over)?;
    make(&app, &challenge.subject, &name).await
}

async fn login(ctx: Context, Valid(body): Valid<FactorLogin>) -> Result<Json<FactorTokens>> {
    let app = ctx.app().unscoped();
    let (challenge, _) = Challenge::find(&app, Purpose::Factor, &body.challenge).await?.ok_or_else(over)?;
    let factor = Factor::of(&app, &challenge.subject).await?.ok_or_else(has_none)?;
    check(&app, &factor, &body.code).await?;
    if !challenge.consume(&app).await? {
        return Err(over());
    }
    let is_new = !factor.is_confirmed();
    let recovery_codes = if is_new { Some(RecoveryCode::make(&app, &challenge.subject).await?) } else { None };
    let IssuedTokens { access_token, refresh_token, expires_in, .. } =
        ctx.log_in_as(&challenge.subject, challenge.tenant).await?;
    Ok(Json(FactorTokens { access_token, refresh_token, expires_in, recovery_codes }))
}

/// Creates the secret of a user.
async fn make(app: &App, subject: &str, name: &str) -> Result<Status<201, Json<FactorSetup>>> {
    let there = || Error::Problem(Problem::new(Code::Conflict, "there is a second factor: remove it first"));
    let secret = Factor::make(app, subject).await?.ok_or_else(there)?;
    let uri = secret.uri(app.extension::<AccountsState>()?.title(), name);
    Ok(Status(Json(FactorSetup { secret: secret.base32(), uri })))
}

async fn check(app: &App, factor: &Factor, code: &str) -> Result<()> {
    match factor.check(app, code).await? {
        Checked::Right => Ok(()),
        Checked::TooMany => Err(Error::Problem(Problem::of(Code::TooManyRequests))),
        Checked::Wrong => {
            let wrong = FieldError::field("code", "wrong", "is not right, or was used: take the next one");
            Err(Error::Problem(Problem::validation([wrong])))
        }
    }
}

/// The refusal of a challenge that is unknown, used or expired.
fn over() -> Error {
    let detail = "the login is over: log in again";
    Error::Problem(Problem::new(Code::InvalidCredentials, detail))
}

/// The refusal of a code for a user without a second factor.
fn has_none() -> Error {
    Error::Problem(Problem::new(Code::Conflict, "there is no second factor that waits for this code"))
}
