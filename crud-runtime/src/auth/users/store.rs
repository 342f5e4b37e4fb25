//! [`UserStore`]: the lookup of users.

use std::fmt;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value as Json};

use crate::auth::token::claims::new_id;
use crate::model::principal::Principal;
use crate::model::problem::Problem;
use crate::storage::adapter::BoxFuture;
use crate::storage::error::Result;

/// A user of a [`UserStore`].
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct User {
    /// The `sub` of the user's tokens, which must never change.
    pub subject: String,
    /// The password's hash: Argon2, in the PHC string format.
    pub password_hash: String,
    /// Whether logins and refreshes fail.
    pub disabled: bool,
    /// The user's roles, such as `admin`.
    pub roles: Vec<String>,
    /// The user's permissions, such as `orders:purge`.
    pub permissions: Vec<String>,
    /// Further claims of the user's tokens, such as a tenant's id.
    pub claims: Map<String, Json>,
    /// The generation of the user's refresh tokens: those of another one are refused.
    ///
    /// It must change with the password, and when the user is disabled, to a value that it never had.
    pub generation: Option<String>,
    /// The time of the last end of the sessions, by which versions before the generation refuse refresh tokens.
    pub(in crate::auth) tokens_since: Option<DateTime<Utc>>,
}

impl User {
    /// A user without roles or permissions; [`hash_password`](crate::auth::hash_password) makes the hash.
    pub fn new(subject: impl Into<String>, password_hash: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            password_hash: password_hash.into(),
            disabled: false,
            roles: Vec::new(),
            permissions: Vec::new(),
            claims: Map::new(),
            generation: None,
            tokens_since: None,
        }
    }

    /// The key of a user in the service's own table, for a field that refers to it: the subject as a number.
    ///
    /// ```
    /// use crud_runtime::auth::User;
    ///
    /// assert_eq!(User::new("7", "$argon2id$…").id().ok(), Some(7));
    /// ```
    ///
    /// # Errors
    /// `internal` for a subject of another [`UserStore`] that is not such a key.
    pub fn id(&self) -> Result<i64> {
        let id = self.principal().user_id();
        Ok(id.ok_or_else(|| Problem::internal(format!("the user `{}` has no number as its key", self.subject)))?)
    }

    /// Ends the sessions where this change of the user requires it: the password or the generation changed, or the user
    /// is disabled. Enabling a user ends them too: a server of a version before the generation disables without ending
    /// sessions.
    pub(in crate::auth) fn end_sessions_since(&mut self, old: &Self, now: DateTime<Utc>) {
        let has_new_generation = self.generation != old.generation;
        if has_new_generation || self.password_hash != old.password_hash || self.disabled != old.disabled {
            // Random, not counted: of two changes at the same time, neither keeps the tokens of the other.
            self.generation = Some(new_id());
            // Tokens have whole seconds: those issued in this second must count as older than the end.
            self.tokens_since = DateTime::from_timestamp(now.timestamp() + 1, 0);
        }
    }

    /// The principal of the user's requests.
    pub(in crate::auth) fn principal(&self) -> Principal {
        Principal::new(self.subject.as_str())
            .with_roles(self.roles.clone())
            .with_permissions(self.permissions.clone())
            .with_claims(self.claims.clone())
    }
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User")
            .field("subject", &self.subject)
            .field("disabled", &self.disabled)
            .field("roles", &self.roles)
            .field("permissions", &self.permissions)
            .finish_non_exhaustive()
    }
}

/// Looks users up when they log in or refresh.
///
/// [`Users`](crate::auth::Users) is built in; implement this trait for users stored elsewhere.
///
/// ```
/// use crud_runtime::adapter::BoxFuture;
/// use crud_runtime::auth::{User, UserStore};
///
/// /// One user, from the configuration.
/// #[derive(Debug)]
/// struct Admin { password_hash: String }
///
/// impl UserStore for Admin {
///     fn find_by_username<'a>(&'a self, name: &'a str) -> BoxFuture<'a, crud_runtime::Result<Option<User>>> {
///         let user = (name == "admin").then(|| {
///             let mut user = User::new("1", &self.password_hash);
///             user.roles = vec!["admin".into()];
///             user
///         });
///         Box::pin(async move { Ok(user) })
///     }
///
///     fn find_by_subject<'a>(&'a self, subject: &'a str) -> BoxFuture<'a, crud_runtime::Result<Option<User>>> {
///         self.find_by_username(if subject == "1" { "admin" } else { "" })
///     }
/// }
/// ```
pub trait UserStore: fmt::Debug + Send + Sync + 'static {
    /// The user with this login name, if there is one.
    ///
    /// # Errors
    /// When the lookup fails; the cause is logged and not returned.
    fn find_by_username<'a>(&'a self, username: &'a str) -> BoxFuture<'a, Result<Option<User>>>;

    /// The user with this `sub`, if it still exists.
    ///
    /// # Errors
    /// When the lookup fails; the cause is logged and not returned.
    fn find_by_subject<'a>(&'a self, subject: &'a str) -> BoxFuture<'a, Result<Option<User>>>;
}
