//! Account list records.

use crud_runtime::prelude::*;

/// An account list record.
#[derive(Debug, Clone, Resource)]
#[crud(table("account_list", unmanaged, no_key), filter, sort, pagination)]
pub struct AccountListRecord {
    pub id: Option<i64>,
    pub login: Option<String>,
}
