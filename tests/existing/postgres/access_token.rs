//! Access tokens.

use crud_runtime::prelude::*;

use super::account::Account;

/// An access token.
#[derive(Debug, Clone, Resource)]
#[crud(table("access_token", unmanaged, no_key), filter, sort, pagination)]
pub struct AccessToken {
    #[crud(references(Account, expand))]
    pub account_id: i64,
}
