//! [`ApiKey`]: the table of keys.

use crud_runtime::prelude::*;

/// A key, without its secret, in the table `keys_key`.
#[derive(Debug, Clone, Resource)]
#[crud(table = "keys_key", internal, unique(user, name))]
pub(super) struct ApiKey {
    /// The id in the key's text.
    #[crud(length(max = 12))]
    pub(super) id: String,
    /// The SHA-256 of the key's text.
    #[crud(length(max = 64))]
    pub(super) hash: String,
    /// The subject of the user that it acts for.
    #[crud(length(max = 255))]
    pub(super) user: String,
    /// The name, such as `ci-server`: one of its user's.
    #[crud(length(max = 50))]
    pub(super) name: String,
    /// The tenant in which it was made: the claim of tokens in JSON, such as `7` or `"north"`.
    #[crud(length(max = 500))]
    pub(super) tenant: Option<String>,
    pub(super) roles: Vec<String>,
    pub(super) permissions: Vec<String>,
    pub(super) expires_at: Option<DateTime<Utc>>,
    /// The time of the last request, to the minute.
    pub(super) last_used_at: Option<DateTime<Utc>>,
    #[crud(created_at)]
    pub(super) created_at: DateTime<Utc>,
}
