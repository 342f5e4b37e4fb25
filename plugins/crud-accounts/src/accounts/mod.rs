//! [`Accounts`]: people who sign up.

use crud_runtime::Plugin;

/// Accounts of people: sign-up, verified addresses, new passwords, invitations.
#[derive(Debug, Default)]
#[must_use = "accounts are served by `Service::plugin`"]
pub struct Accounts;

impl Accounts {
    /// Accounts under `/auth`.
    pub const fn new() -> Self {
        Self
    }
}

impl Plugin for Accounts {
    fn name(&self) -> &'static str {
        "accounts"
    }
}
