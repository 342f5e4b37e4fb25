//! Accounts.

use crud_runtime::prelude::*;

/// An account.
#[derive(Debug, Clone, Resource)]
#[crud(table("account", unmanaged), pagination(cursor))]
pub struct Account {
    pub id: Uuid,
    #[crud(unique, length(max = 40), filter, sort)]
    pub login: String,
    #[crud(default(database), filter)]
    pub shade: String,
    #[crud(write_only, immutable, length(max = 255))]
    pub user_pass: String,
    #[crud(hidden)]
    pub totp_secret: Option<Vec<u8>>,
    #[crud(hidden, default(database), length(max = 60))]
    pub activation_key: String,
    #[crud(hidden)]
    pub hash: Option<Vec<u8>>,
    pub code: Option<Vec<u8>>,
    #[crud(length(max = 10), filter, sort)]
    pub token_type: Option<String>,
}
