//! Account lists.

use crud_runtime::prelude::*;

/// An account list.
#[derive(Debug, Clone, Resource)]
#[crud(table("account_list", unmanaged, no_key), filter, sort, pagination)]
pub struct AccountList {
    pub id: Option<i64>,
    pub login: Option<String>,
}
