#![doc = include_str!("../README.md")]

mod accounts;
mod keys;

pub use self::accounts::Accounts;
pub use self::accounts::mail::letter::Letter;
pub use self::accounts::mail::mailer::{Mail, Mailer};
pub use self::keys::ApiKeys;
