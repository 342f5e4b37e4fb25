//! `POST /auth/forgot` and `POST /auth/reset`: a new password in place of a forgotten one.

use crud_runtime::access::Access;
use crud_runtime::auth::UserStore;
use crud_runtime::error::Problem;
use crud_runtime::routing::{Context, Routes, Valid, post};
use crud_runtime::{Error, Result, Schema};

use super::described;
use super::registration::AccountAddress;
use super::requests::{Accepted, enqueue};
use super::sessions::end_all;
use crate::accounts::address::normalised;
use crate::accounts::letter_token::{LetterToken, used};
use crate::accounts::mail::job::SendLetter;
use crate::accounts::mail::letter::Letter;
use crate::accounts::proved_address::ProvedAddress;

/// The token of a link, and a new password.
#[derive(Schema)]
pub(super) struct TokenAndPassword {
    /// The token behind the `#` of the link.
    #[crud(write_only, length(min = 64, max = 64))]
    pub(super) token: String,
    /// The password, of at least 8 characters and at most 1024 bytes.
    #[crud(write_only, length(min = 8, max = 1024))]
    pub(super) password: String,
}

pub(super) fn routes(auth: &str) -> Routes {
    let description = "Mails a link that leads to a new password, where the address has an account. The answer is the same for \
                       every address.";
    let forgot = described(post(forgot), "forgotPassword", "Forget the password", description);
    let description =
        "Sets the password, by the token of a link. All sessions of the user end, and none begins: log in.";
    let reset = described(post(reset), "resetPassword", "Choose a new password", description);
    Routes::new()
        .route(format!("{auth}/forgot"), forgot.access(Access::Public))
        .route(format!("{auth}/reset"), reset.access(Access::Public))
}

async fn forgot(ctx: Context, Valid(body): Valid<AccountAddress>) -> Result<Accepted> {
    enqueue(&ctx, SendLetter::new(Letter::Reset, &normalised(&body.email)?)).await
}

async fn reset(ctx: Context, Valid(body): Valid<TokenAndPassword>) -> Result<()> {
    // A task is not dropped when the client leaves, so the sessions end with the former password.
    tokio::spawn(set_password(ctx, body)).await.map_err(Problem::internal)?
}

async fn set_password(ctx: Context, body: TokenAndPassword) -> Result<()> {
    let app = ctx.app().unscoped();
    let token = LetterToken::find(&app, &body.token, &[Letter::Reset]).await?;
    let hash = app.users()?.hash_password(&body.password).await?;
    let subject = app
        .transaction(async |tx| -> Result<String> {
            token.consume(tx).await?;
            let users = tx.users()?;
            let user = users.find_by_username(&token.address).await?.filter(|user| !user.disabled);
            let user = user.ok_or_else(|| Error::Problem(used()))?;
            users.set_password_hash(&token.address, hash.clone()).await?;
            ProvedAddress::note(tx, &user.subject, &token.address).await?;
            Ok(user.subject)
        })
        .await?;
    tracing::info!(user = subject, "a password is reset");
    end_all(&ctx, &subject).await
}
