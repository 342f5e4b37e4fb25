//! Authentication by JSON web tokens.
//!
//! A service with [`Auth`] issues tokens at `POST /auth/login` and `POST /auth/refresh` and verifies those of requests;
//! with another issuer's keys it only verifies. A program that authenticates requests itself makes the [`Principal`] of a
//! request from its [`AuthParts`].

#[cfg(feature = "auth")]
mod algorithm;
mod auth_parts;
#[cfg(feature = "auth")]
mod authentication;
#[cfg(feature = "auth")]
mod bearer_token;
#[cfg(feature = "auth")]
mod builder;
#[cfg(feature = "auth")]
mod change_password;
#[cfg(feature = "auth")]
mod claims;
#[cfg(feature = "auth")]
mod foreign_token;
#[cfg(feature = "auth")]
mod hash_queue;
#[cfg(feature = "auth")]
mod internal_table;
#[cfg(feature = "auth-issuers")]
mod issuer;
#[cfg(feature = "auth-asymmetric")]
mod jwks;
#[cfg(feature = "auth")]
mod key;
#[cfg(feature = "auth")]
mod key_pair;
#[cfg(feature = "auth")]
mod login;
#[cfg(feature = "auth")]
mod login_counters;
#[cfg(feature = "auth")]
mod login_throttle;
#[cfg(feature = "auth")]
pub(crate) mod managed_users;
#[cfg(feature = "auth")]
pub(crate) mod manager_rule;
pub(crate) mod memberships;
pub(crate) mod network;
#[cfg(all(feature = "auth", not(feature = "auth-asymmetric")))]
mod no_key_pair;
#[cfg(feature = "auth")]
mod password;
#[cfg(feature = "auth-asymmetric")]
mod pem;
#[cfg(feature = "auth")]
mod provider;
#[cfg(feature = "auth")]
mod revocation;
#[cfg(feature = "auth")]
mod session_options;
#[cfg(feature = "auth")]
mod signature;
#[cfg(feature = "auth")]
mod stored_users;
#[cfg(feature = "auth")]
mod tenant_tokens;
#[cfg(all(feature = "auth", feature = "testing"))]
mod test_key;
#[cfg(feature = "auth")]
mod token;
#[cfg(feature = "auth")]
mod user_hooks;
#[cfg(feature = "auth")]
mod user_store;
#[cfg(feature = "auth")]
mod users_table;

pub use self::auth_parts::AuthParts;
#[doc(inline)]
pub use crate::model::principal::Principal;
pub use crate::response::principal::PrincipalLookup;

#[cfg(feature = "auth")]
pub use {
    algorithm::Algorithm,
    authentication::Auth,
    builder::AuthBuilder,
    key::Key,
    key_pair::KeyDocument,
    login::IssuedTokens,
    password::hash_password,
    user_hooks::{UserChange, UserHooks},
    user_store::{User, UserStore},
    users_table::{CreateUser, Users},
};

#[cfg(feature = "auth-issuers")]
pub use self::issuer::Issuer;

#[cfg(feature = "auth")]
pub(crate) use {claims::RESERVED as RESERVED_CLAIMS, password::PasswordHasher};
