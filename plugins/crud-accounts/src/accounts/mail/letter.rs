//! [`Letter`]: the mails of accounts.

use crud_runtime::prelude::TimeDelta;
use serde::{Deserialize, Serialize};

/// A mail of accounts, whose text [`Accounts::template`](crate::Accounts::template) replaces.
///
/// ```
/// use crud_accounts::{Accounts, Letter};
///
/// let text = "Welcome to Shop\n\nOpen this page to choose your password:\n\n{link}\n";
/// let accounts = Accounts::new().template(Letter::Verification, text);
/// # let _ = accounts;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Letter {
    /// Proves the address of a person who signs up.
    Verification,
    /// Tells a person who signs up again that the address has an account.
    Known,
    /// Lets a person who forgot the password set a new one.
    Reset,
    /// Proves the new address of a user.
    NewAddress,
    /// Tells the former address that the user has another one.
    AddressChanged,
    /// Invites a person.
    Invitation,
}

impl Letter {
    /// Every letter.
    pub const ALL: [Self; 6] =
        [Self::Verification, Self::Known, Self::Reset, Self::NewAddress, Self::AddressChanged, Self::Invitation];

    /// The name of the letter, which is the purpose of its token.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Verification => "verification",
            Self::Known => "known",
            Self::Reset => "reset",
            Self::NewAddress => "new_address",
            Self::AddressChanged => "address_changed",
            Self::Invitation => "invitation",
        }
    }

    /// The page that the link leads to, below the path of the pages.
    pub(crate) const fn page(self) -> &'static str {
        match self {
            Self::Verification => "verify",
            Self::Known | Self::AddressChanged => "sign-in",
            Self::Reset => "reset",
            Self::NewAddress => "address",
            Self::Invitation => "invitation",
        }
    }

    /// Whether the link has a token.
    pub(crate) const fn has_token(self) -> bool {
        !matches!(self, Self::Known | Self::AddressChanged)
    }

    /// The time for which the token is valid.
    pub(crate) const fn lifetime(self) -> TimeDelta {
        match self {
            Self::Reset => TimeDelta::hours(1),
            Self::Invitation => TimeDelta::days(7),
            _ => TimeDelta::hours(24),
        }
    }

    /// The default text: a line with the subject, an empty line, and the body.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Verification => include_str!("letters/verification.txt"),
            Self::Known => include_str!("letters/known.txt"),
            Self::Reset => include_str!("letters/reset.txt"),
            Self::NewAddress => include_str!("letters/new_address.txt"),
            Self::AddressChanged => include_str!("letters/address_changed.txt"),
            Self::Invitation => include_str!("letters/invitation.txt"),
        }
    }
}
