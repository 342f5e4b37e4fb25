//! Accounts of people, on every SQL database, and attacks on them.
//!
//! | Topic | Modules |
//! |---|---|
//! | Sign-up, new passwords, other addresses | `sign_up`, `passwords`, `addresses` |
//! | Invitations into the service and into tenants | `invitations` |
//! | Sessions and second factors | `sessions`, `factors` |
//! | Pages for people | `pages` |
//! | Logins with an issuer | `issuer_logins`, with `mock_issuer` |
//! | Attacks | `attacks`, `timing` |
//! | Beside HTTP | `setup`, with `support` |

mod addresses;
mod attacks;
mod factors;
mod invitations;
mod issuer_logins;
/// The issuer of the suite of authentication.
#[path = "../../../../tests/tests/auth/mock_issuer.rs"]
#[allow(dead_code, reason = "each suite takes what it needs")]
mod mock_issuer;
mod pages;
mod passwords;
mod sessions;
mod setup;
mod sign_up;
mod support;
mod timing;
