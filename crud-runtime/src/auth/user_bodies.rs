//! The bodies of requests that create and change users.

use crate::Schema;

/// The body that creates a user.
#[derive(Schema)]
pub(crate) struct NewServiceUser {
    /// The name that the user logs in with.
    #[crud(min_length = 1, max_length = 255)]
    pub(crate) username: String,
    /// The password, of at most 1024 bytes.
    #[crud(min_length = 8, max_length = 1024)]
    pub(crate) password: String,
    /// The user's roles, such as `editor`.
    #[crud(default = Vec::new())]
    pub(crate) roles: Vec<String>,
    /// The user's permissions, such as `orders:purge`.
    #[crud(default = Vec::new())]
    pub(crate) permissions: Vec<String>,
    /// Further claims of the user's tokens, such as a tenant's id: an object.
    pub(crate) claims: Option<serde_json::Value>,
}

/// The body that changes a user: what it leaves out, or is null, stays.
#[derive(Schema)]
pub(crate) struct ServiceUserPatch {
    /// The new password, of at most 1024 bytes: the user's sessions end.
    #[crud(min_length = 8, max_length = 1024)]
    pub(crate) password: Option<String>,
    /// The roles, in place of those until now.
    pub(crate) roles: Option<Vec<String>>,
    /// The permissions, in place of those until now.
    pub(crate) permissions: Option<Vec<String>>,
    /// The further claims of the user's tokens, in place of those until now: an object.
    pub(crate) claims: Option<serde_json::Value>,
    /// Whether logins and refreshes fail.
    pub(crate) disabled: Option<bool>,
}
