//! Accounts.

use crud_runtime::prelude::*;

use super::account_extra::AccountExtra;
use super::visited::Visited;

/// An account.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("account", unmanaged),
    filter,
    sort,
    pagination(cursor),
    has_many(
        account_extras(AccountExtra::account_id),
        visiteds(Visited::account_id)
    )
)]
pub struct Account {
    pub id: i64,
    pub login: String,
    #[crud(write_only, immutable)]
    pub password: String,
    #[crud(hidden)]
    pub salt: Option<Vec<u8>>,
    pub note: Option<String>,
    #[crud(hidden)]
    pub key_of: Option<String>,
}
