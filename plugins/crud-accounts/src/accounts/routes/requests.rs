//! Requests for a mail, which anyone can make for any address.

use crud_runtime::Result;
use crud_runtime::routing::{Context, Status};

use crate::accounts::mail::job::SendLetter;
use crate::accounts::slot::Slot;

/// Limit of mails to an address in an hour.
const FOR_ADDRESS: u32 = 3;

/// Limit of mails that a client requests in an hour.
const OF_CLIENT: u32 = 10;

/// The answer to a request for a mail. It is the same for every address, so that it does not tell whether there is an
/// account.
pub(super) type Accepted = Status<202, ()>;

/// Enqueues a letter, unless the address or the client has reached its limit. Nothing here depends on whether there is
/// a user: the job looks the user up.
pub(super) async fn enqueue(ctx: &Context, letter: SendLetter) -> Result<Accepted> {
    let app = ctx.app().unscoped();
    let is_admitted = match ctx.client_network() {
        Some(network) => Slot::take(&app, &format!("client {network}"), OF_CLIENT).await?,
        None => true,
    };
    if is_admitted && Slot::take(&app, &format!("address {}", letter.address), FOR_ADDRESS).await? {
        app.enqueue(letter).await?;
    } else {
        tracing::warn!(client = ?ctx.client_address(), "a mail is not sent: the address or the client has had its share");
    }
    Ok(Status(()))
}
