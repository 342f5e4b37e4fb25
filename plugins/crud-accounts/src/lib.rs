#![doc = include_str!("../README.md")]

mod accounts;
mod keys;

pub use self::accounts::Accounts;
pub use self::accounts::mail::letter::Letter;
pub use self::accounts::mail::mailer::{Mail, Mailer};
#[cfg(feature = "oidc")]
pub use self::accounts::oidc::{access::IssuerAccess, login_issuer::LoginIssuer};
pub use self::keys::ApiKeys;
