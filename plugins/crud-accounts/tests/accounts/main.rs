//! Accounts of people, on every SQL database, and attacks on them.
//!
//! | Topic | Modules |
//! |---|---|
//! | Sign-up, new passwords, other addresses | `sign_up`, `passwords`, `addresses` |
//! | Invitations into the service and into tenants | `invitations` |
//! | Sessions and second factors | `sessions`, `factors` |
//! | Pages for people | `pages` |
//! | Attacks | `attacks` |
//! | Beside HTTP | `setup`, with `support` |

mod addresses;
mod attacks;
mod factors;
mod invitations;
mod pages;
mod passwords;
mod sessions;
mod setup;
mod sign_up;
mod support;
