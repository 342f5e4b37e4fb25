//! Authentication by JSON web tokens.
//!
//! A service with [`Auth`] issues tokens at `POST /auth/login` and `POST /auth/refresh` and verifies those of requests;
//! with another issuer's keys it only verifies. A program that authenticates requests itself makes the [`Principal`] of a
//! request from its [`AuthParts`].

mod auth_parts;
#[cfg(feature = "auth")]
mod authentication;
#[cfg(feature = "auth")]
mod builder;
#[cfg(feature = "auth-issuers")]
mod issuer;
#[cfg(feature = "auth")]
mod key;
#[cfg(feature = "auth")]
mod login;
pub(crate) mod memberships;
pub(crate) mod network;
#[cfg(feature = "auth")]
mod token;
#[cfg(feature = "auth")]
pub(crate) mod users;

pub use self::auth_parts::AuthParts;
pub use self::memberships::Membership;
#[doc(inline)]
pub use crate::model::principal::Principal;
pub use crate::response::principal::PrincipalLookup;

#[cfg(feature = "auth")]
pub use {
    authentication::Auth,
    builder::AuthBuilder,
    key::TokenKey,
    key::algorithm::Algorithm,
    key::pair::KeyDocument,
    login::IssuedTokens,
    login::password::hash_password,
    login::session_observer::{SessionObserver, UserSession},
    users::hooks::{UserChange, UserHooks},
    users::store::{User, UserStore},
    users::table::{CreateUser, Users},
};

#[cfg(feature = "auth-issuers")]
pub use self::issuer::{Issuer, IssuerClient};

#[cfg(feature = "auth")]
pub(crate) use {
    login::password::PasswordHasher, login::session_observer::Client, token::claims::RESERVED as RESERVED_CLAIMS,
    users::own_users::OwnUsers,
};
