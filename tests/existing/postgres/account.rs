//! Accounts.

use crud_runtime::prelude::*;

use super::account_extra::AccountExtra;

/// An account.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("account", unmanaged),
    filter,
    sort,
    pagination(cursor),
    unique(login, api_key),
    has_many(account_extras(AccountExtra::account_id))
)]
pub struct Account {
    pub id: i64,
    #[crud(unique, length(max = 40))]
    pub login: String,
    #[crud(write_only, immutable)]
    pub pass_crypt: String,
    #[crud(hidden)]
    pub totp_secret: Option<Vec<u8>>,
    #[crud(hidden, default(database), length(max = 64))]
    pub api_key: String,
    pub token_type: Option<String>,
    #[crud(read_only, default(database))]
    pub number: i32,
    #[crud(column(sql_type = "shade"), default(database))]
    pub shade: String,
    #[crud(column(sql_type = "nothing"))]
    pub nothing: Option<String>,
    #[crud(column(sql_type = "numeric"))]
    pub rounded: Option<String>,
}
