//! `POST /auth/email` and `POST /auth/email/confirm`: a new address of the caller.

use crud_runtime::access::Access;
use crud_runtime::auth::{User, UserStore};
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::Principal;
use crud_runtime::routing::{Context, Routes, Valid, post};
use crud_runtime::{Error, Result, Schema};

use super::described;
use super::requests::{Accepted, enqueue};
use crate::accounts::address::normalised;
use crate::accounts::letter_token::{LetterToken, used};
use crate::accounts::mail::job::SendLetter;
use crate::accounts::mail::letter::Letter;
use crate::accounts::proved_address::ProvedAddress;

/// The new address, and the password.
#[derive(Schema)]
struct AddressChange {
    /// The new mail address.
    #[crud(length(min = 3, max = 254))]
    email: String,
    /// The password.
    #[crud(write_only, length(max = 1024))]
    password: String,
}

/// The token of a link.
#[derive(Schema)]
struct AddressToken {
    /// The token behind the `#` of the link.
    #[crud(write_only, length(min = 64, max = 64))]
    token: String,
}

pub(super) fn routes(auth: &str) -> Routes {
    let description = "Mails a link to the new address of the caller, who proves its password. The address is the same until \
                       the link is used.";
    let change = described(post(change), "changeAddress", "Change the address", description);
    let change = change.problems([Code::InvalidCredentials, Code::TooManyRequests]);
    let description = "Gives the account its new address, by the token of a link. The former address is told.";
    let confirm = described(post(confirm), "confirmAddress", "Confirm the new address", description);
    Routes::new()
        .route(format!("{auth}/email"), change.access(Access::Authenticated))
        .route(format!("{auth}/email/confirm"), confirm.access(Access::Public))
}

/// The `sub` and the name of the caller, who is one of the service's own users.
pub(super) async fn caller(ctx: &Context) -> Result<(String, String)> {
    let denied = || Error::Problem(Problem::of(Code::PermissionDenied));
    let subject = ctx.principal().ok_or_else(denied)?.subject().to_owned();
    let name = ctx.app().users()?.name_of(&subject).await?.ok_or_else(denied)?;
    Ok((subject, name))
}

async fn change(ctx: Context, Valid(body): Valid<AddressChange>) -> Result<Accepted> {
    let address = normalised(&body.email)?;
    let (_, name) = caller(&ctx).await?;
    let user = ctx.prove_password(&name, body.password).await?;
    enqueue(&ctx, SendLetter::to_new_address(&address, &user)).await
}

async fn confirm(ctx: Context, Valid(body): Valid<AddressToken>) -> Result<()> {
    let app = ctx.app().unscoped();
    let token = LetterToken::find(&app, &body.token, &[Letter::NewAddress]).await?;
    // Users are not in a tenant's shard, so the job that sends the mail is without a tenant too.
    let outside = app.acting_as(Principal::new(token.subject.as_str()));
    outside
        .transaction(async |tx| -> Result<()> {
            token.consume(tx).await?;
            let users = tx.users()?;
            // The change may have been asked for with a former password.
            let is_current = |user: &User| !user.disabled && user.generation == token.generation;
            let user = users.find_by_subject(&token.subject).await?.filter(is_current);
            let former = users.name_of(&token.subject).await?.filter(|_| user.is_some());
            let former = former.ok_or_else(|| Error::Problem(used()))?;
            users.rename(&former, &token.address).await.map_err(|error| match error {
                // Another account has taken the address meanwhile.
                Error::Problem(problem) if problem.code() == Code::Conflict => Error::Problem(used()),
                other => other,
            })?;
            ProvedAddress::note(tx, &token.subject, &token.address).await?;
            LetterToken::remove(tx, Letter::NewAddress, &token.subject).await?;
            tx.enqueue(SendLetter::of(Letter::AddressChanged, &former, &token.subject)).await.map(drop)
        })
        .await
}
