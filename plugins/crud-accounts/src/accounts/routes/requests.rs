//! Requests for a mail, which anyone can make for any address.

use std::net::IpAddr;

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
    let is_admitted = match ctx.client_address() {
        Some(client) => Slot::take(&app, &format!("client {}", network(client)), OF_CLIENT).await?,
        None => true,
    };
    if is_admitted && Slot::take(&app, &format!("address {}", letter.address), FOR_ADDRESS).await? {
        app.enqueue(letter).await?;
    } else {
        tracing::warn!(client = ?ctx.client_address(), "a mail is not sent: the address or the client has had its share");
    }
    Ok(Status(()))
}

/// The network of a client: an IPv4 address, or the first 64 bits of an IPv6 address, which a household shares.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() & (u128::MAX << 64)).into()),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_an_address_of_ipv6_is_its_network() {
        for (address, expected) in
            [("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::")]
        {
            assert_eq!(network(address.parse().unwrap()).to_string(), expected);
        }
    }
}
