//! `POST /auth/register`: sign-up.

use crud_runtime::access::Access;
use crud_runtime::routing::{Context, Routes, Valid, post};
use crud_runtime::{Result, Schema};

use super::described;
use super::requests::{Accepted, enqueue};
use crate::accounts::address::normalised;
use crate::accounts::mail::job::SendLetter;
use crate::accounts::mail::letter::Letter;

/// The address of a person.
#[derive(Schema)]
pub(super) struct AccountAddress {
    /// The mail address, which is the name of the account.
    #[crud(length(min = 3, max = 254))]
    pub(super) email: String,
}

pub(super) fn routes(auth: &str) -> Routes {
    let description = "Mails a link that leads to an account, or tells that the address has one. The answer is the same for \
                       every address. No account exists before the link is used.";
    let route = described(post(register), "register", "Sign up", description);
    Routes::new().route(format!("{auth}/register"), route.access(Access::Public))
}

async fn register(ctx: Context, Valid(body): Valid<AccountAddress>) -> Result<Accepted> {
    enqueue(&ctx, SendLetter::new(Letter::Verification, &normalised(&body.email)?)).await
}
