#![doc = include_str!("../README.md")]

mod accounts;
mod keys;

pub use self::accounts::Accounts;
pub use self::keys::ApiKeys;
