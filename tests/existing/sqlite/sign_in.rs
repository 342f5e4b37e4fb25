//! Sign ins.

use crud_runtime::prelude::*;

use super::account::Account;

/// A sign in.
#[derive(Debug, Clone, Resource)]
#[crud(table("sign_in", unmanaged, no_key), filter, sort, pagination)]
pub struct SignIn {
    #[crud(references(Account, expand))]
    pub account_id: Option<i64>,
    #[crud(column(format = "%Y-%m-%d %H:%M:%S"))]
    pub at: Option<NaiveDateTime>,
}
