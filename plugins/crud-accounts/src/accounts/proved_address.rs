//! [`ProvedAddress`]: the addresses that users have proved.

use crud_runtime::Result;
use crud_runtime::prelude::*;

/// The address that a user has proved by the link of a mail, in the table `accounts_address`. A user that an administrator has
/// made has none: its name is what was typed.
#[derive(Debug, Clone, Resource)]
#[crud(table = "accounts_address", internal)]
pub(crate) struct ProvedAddress {
    /// The `sub` of the user's tokens.
    #[crud(length(max = 40))]
    id: String,
    #[crud(length(max = 254))]
    address: String,
    proved_at: DateTime<Utc>,
}

impl ProvedAddress {
    /// Records that a user has proved an address, in the transaction of the proof.
    pub(crate) async fn note(tx: &Tx<'_>, subject: &str, address: &str) -> Result<()> {
        let proved_at = Utc::now();
        let new = NewProvedAddress { id: subject.to_owned(), address: address.to_owned(), proved_at };
        let store = tx.store::<Self>();
        let patch = ProvedAddressPatch::default().address(address).proved_at(proved_at);
        if store.update_where(Self::FIELDS.id.eq(subject), patch).await? == 0 {
            store.create(new).await?;
        }
        Ok(())
    }

    /// Whether a user has proved this address.
    #[cfg(feature = "oidc")]
    pub(crate) async fn is_of(tx: &Tx<'_>, subject: &str, address: &str) -> Result<bool> {
        let proved = tx.store::<Self>().find(subject.to_owned()).await?;
        Ok(proved.is_some_and(|proved| proved.address == address))
    }
}
