//! [`Identity`]: the user of each person that an issuer has logged in.

use crud_runtime::Result;
use crud_runtime::prelude::*;

use crate::accounts::token;

/// A person of an issuer and its user, in the table `accounts_identity`. The pair of issuer and subject identifies a person, and
/// nothing else does: an address changes hands.
#[derive(Debug, Clone, Resource)]
#[crud(table = "accounts_identity", internal)]
pub(crate) struct Identity {
    /// The hash of issuer and subject, which may be long.
    #[crud(length(min = 64, max = 64))]
    id: String,
    /// The `sub` of the service's tokens.
    #[crud(index, length(max = 40))]
    user: String,
    /// The URL of the issuer, for people.
    #[crud(length(max = 255))]
    issuer: String,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
}

impl Identity {
    /// The user of a person.
    pub(crate) async fn user_of(tx: &Tx<'_>, issuer: &str, subject: &str) -> Result<Option<String>> {
        Ok(tx.store::<Self>().find(key(issuer, subject)).await?.map(|identity| identity.user))
    }

    /// Stores the user of a person.
    pub(crate) async fn note(tx: &Tx<'_>, issuer: &str, subject: &str, user: &str) -> Result<()> {
        let new =
            NewIdentity { id: key(issuer, subject), user: user.to_owned(), issuer: issuer.chars().take(255).collect() };
        tx.store::<Self>().create(new).await.map(drop)
    }
}

/// The key of a person. A line break separates the issuer from the subject, as no URL has one.
fn key(issuer: &str, subject: &str) -> String {
    token::hash(&format!("{issuer}\n{subject}"))
}
