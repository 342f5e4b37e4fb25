//! Sign ins.

use crud_runtime::prelude::*;

use super::account::Account;
use super::account_extra::AccountExtra;

/// A sign in.
#[derive(Debug, Clone, Resource)]
#[crud(table("sign_in", unmanaged, no_key), filter, sort, pagination)]
pub struct SignIn {
    #[crud(references(Account, expand))]
    pub account_id: Option<i64>,
    #[crud(references(AccountExtra, expand))]
    pub extra_id: Option<i64>,
    pub at: DateTime<Utc>,
}
