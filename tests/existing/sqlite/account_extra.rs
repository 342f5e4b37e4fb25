//! Account extras.

use crud_runtime::prelude::*;

use super::account::Account;

/// An account extra.
#[derive(Debug, Clone, Resource)]
#[crud(table("account_extra", unmanaged), filter, sort, pagination(cursor))]
pub struct AccountExtra {
    #[crud(id, references(Account, expand, on_delete(cascade)))]
    pub account_id: i64,
    pub note: Option<String>,
}
