//! Authentication: who sends a request, and how they prove it.
//!
//! A service with [`Auth`] issues JSON web tokens at `POST /auth/login` and `POST /auth/refresh`, and knows by them
//! who sends a request; one of another issuer's tokens verifies them alone.

#[cfg(feature = "auth")]
pub(crate) mod address;
#[cfg(feature = "auth")]
mod algorithm;
#[cfg(feature = "auth")]
mod authentication;
#[cfg(feature = "auth")]
mod bearer;
#[cfg(feature = "auth")]
mod builder;
#[cfg(feature = "auth")]
mod claims;
#[cfg(feature = "auth")]
mod current_user;
#[cfg(feature = "auth")]
mod jwks;
#[cfg(feature = "auth")]
mod key;
#[cfg(feature = "auth")]
mod login;
#[cfg(feature = "auth")]
mod password;
#[cfg(feature = "auth")]
mod revocation;
#[cfg(feature = "auth")]
mod table;
#[cfg(feature = "auth")]
mod throttle;
#[cfg(feature = "auth")]
mod token;
#[cfg(feature = "auth")]
mod users;

pub use crate::model::principal::Principal;

#[cfg(feature = "auth")]
pub use {
    algorithm::Algorithm,
    authentication::Auth,
    builder::AuthBuilder,
    current_user::CurrentUser,
    key::Key,
    password::hash_password,
    table::Users,
    users::{User, UserStore},
};

#[cfg(feature = "auth")]
pub(crate) use password::Passwords;

/// The store of a table of our own.
#[cfg(feature = "auth")]
fn store<R: crate::model::resource::Resource>(
    adapter: std::sync::Arc<dyn crate::storage::adapter::Adapter>,
) -> crate::store::typed_store::Store<R> {
    let mounted = crate::store::mounted_resource::Mounted::new(crate::store::resource_options::ResourceOptions::new(
        R::DESCRIPTOR,
    ));
    crate::store::typed_store::Store::new(adapter, std::sync::Arc::new(mounted.expect("the derive's patterns compile")))
}
