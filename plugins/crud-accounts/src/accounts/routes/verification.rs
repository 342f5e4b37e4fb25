//! `POST /auth/verify`: the end of a sign-up, and the acceptance of an invitation.

use crud_runtime::access::Access;
use crud_runtime::auth::{IssuedTokens, User, UserStore};
use crud_runtime::axum::Json;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Routes, Status, Valid, post};
use crud_runtime::{Error, Result};

use super::acceptance::Acceptance;
use super::described;
use super::passwords::TokenAndPassword;
use crate::accounts::factor::gate::FactorGate;
use crate::accounts::invitation::{Invitation, roles_of_inviter};
use crate::accounts::letter_token::{LetterToken, used};
use crate::accounts::mail::letter::Letter;
use crate::accounts::proved_address::ProvedAddress;
use crate::accounts::state::AccountsState;

pub(super) fn routes(auth: &str) -> Routes {
    let description = "Makes the account of an address by the token of a link, with this password, and logs its user in. An \
                       invitation of a person who has an account takes its password, and adds a membership.";
    let verify = described(post(verify), "verifyAddress", "Confirm an address", description);
    let verify = verify.problems([Code::InvalidCredentials, Code::TooManyRequests, Code::Conflict]);
    Routes::new().route(format!("{auth}/verify"), verify.access(Access::Public))
}

async fn verify(ctx: Context, Valid(body): Valid<TokenAndPassword>) -> Result<Status<201, Json<IssuedTokens>>> {
    let app = ctx.app().unscoped();
    let token = LetterToken::find(&app, &body.token, &[Letter::Verification, Letter::Invitation]).await?;
    let known = app.users()?.find_by_username(&token.address).await?;
    let tokens = match (token.is_of(Letter::Invitation), known) {
        (true, known) => accept(&ctx, &token, known, body.password).await?,
        // The account was created meanwhile in another way.
        (false, Some(_)) => return Err(Error::Problem(used())),
        (false, None) => sign_up(&ctx, &token, body.password).await?,
    };
    Ok(Status(Json(tokens)))
}

/// Creates the user of a new address.
async fn sign_up(ctx: &Context, token: &LetterToken, password: String) -> Result<IssuedTokens> {
    let app = ctx.app().unscoped();
    let (hash, roles) = (app.users()?.hash_password(&password).await?, &app.extension::<AccountsState>()?.roles);
    let user = app
        .transaction(async |tx| -> Result<User> {
            token.consume(tx).await?;
            create(tx, &token.address, &hash, roles, None).await
        })
        .await?;
    tracing::info!(user = user.subject, "a user has signed up");
    // A login by password asks for the second factor, where a role needs one.
    Ok(ctx.log_in(&token.address, password, None).await?)
}

/// Accepts an invitation: the person becomes a user, or the user becomes a member of the tenant.
async fn accept(ctx: &Context, token: &LetterToken, known: Option<User>, password: String) -> Result<IssuedTokens> {
    let app = ctx.app().unscoped();
    let invitation = Invitation::find(&app, &token.subject).await?.ok_or_else(|| Error::Problem(used()))?;
    check_inviter(ctx, &invitation).await?;
    let users = app.users()?;
    let is_own = |user: &User| ctx.principal().is_some_and(|principal| principal.subject() == user.subject);
    let hash = match &known {
        // The link proves only access to the mailbox, which may have another owner by now. The account's password or
        // session proves the person.
        Some(user) if !is_own(user) => {
            ctx.prove_password(&token.address, password.clone()).await?;
            String::new()
        }
        Some(_) => String::new(),
        None => users.hash_password(&password).await?,
    };
    let has_memberships = users.has_memberships();
    let tenant = invitation.tenant.as_ref();
    let claim = ctx.auth()?.tenant_claim().filter(|_| !has_memberships).zip(tenant);
    let joined = tenant.filter(|_| has_memberships);
    let known_user = known.as_ref();
    let acceptance = Acceptance { token, invitation: &invitation, known: known_user, hash: &hash, claim, joined };
    let user = acceptance.apply(&app).await?;
    tracing::info!(user = user.subject, inviter = invitation.invited_by, "an invitation is accepted");
    if known.as_ref().is_some_and(is_own) {
        FactorGate::check_made(&app, &user, joined).await?;
        return Ok(ctx.log_in_as(&user.subject, joined.cloned()).await?);
    }
    Ok(ctx.log_in(&token.address, password, joined.cloned()).await?)
}

/// Checks that the inviter still may send this invitation.
async fn check_inviter(ctx: &Context, invitation: &Invitation) -> Result<()> {
    let app = ctx.app().unscoped();
    let (users, claim) = (app.users()?, ctx.auth()?.tenant_claim());
    let has = roles_of_inviter(&users, claim, &invitation.invited_by, invitation.tenant.as_ref()).await?;
    let invite_role = &app.extension::<AccountsState>()?.invite_role;
    if has.contains(invite_role) && invitation.roles.iter().all(|role| has.contains(role)) {
        return Ok(());
    }
    Err(Error::Problem(used()))
}

/// Creates the user of a proved address.
pub(super) async fn create(
    tx: &mut Tx<'_>,
    address: &str,
    hash: &str,
    roles: &[String],
    claim: Option<(&str, &serde_json::Value)>,
) -> Result<User> {
    let users = tx.users()?;
    let new = users.create_hashed(address, hash).roles(roles.iter().cloned());
    let new = claim.into_iter().fold(new, |new, (name, value)| new.claim(name, value.clone()));
    let user = new.await.map_err(|error| match error {
        // Another request has created the user.
        Error::Problem(problem) if problem.code() == Code::Conflict => Error::Problem(used()),
        other => other,
    })?;
    ProvedAddress::note(tx, &user.subject, address).await?;
    Ok(user)
}
