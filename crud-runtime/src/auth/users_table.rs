//! [`Users`]: the table of users in the service's own database.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::internal_table::store;
use super::password::PasswordHasher;
use super::{User, UserStore};
use crate::Resource;
use crate::model::clock::Clock;
#[cfg(feature = "testing")]
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::query::Select;
use crate::storage::adapter::{Adapter, BoxFuture};
use crate::storage::error::{Error, Result};
use crate::store::typed_store::Store;

/// A row of the table `auth_users`.
#[derive(Resource)]
#[crud(table = "auth_users", prefix = "/auth/users")]
pub(crate) struct AuthUser {
    id: i64,
    #[crud(unique, min_length = 1, max_length = 255)]
    username: String,
    password_hash: String,
    #[crud(default = false)]
    disabled: bool,
    #[crud(default = Vec::new())]
    roles: Vec<String>,
    #[crud(default = Vec::new())]
    permissions: Vec<String>,
    tokens_since: Option<DateTime<Utc>>,
    #[crud(created_at)]
    #[allow(dead_code)] // Read only by people.
    created_at: DateTime<Utc>,
    #[crud(updated_at)]
    #[allow(dead_code)]
    updated_at: DateTime<Utc>,
}

impl From<AuthUser> for User {
    fn from(row: AuthUser) -> Self {
        let AuthUser { id, password_hash, disabled, roles, permissions, tokens_since, .. } = row;
        Self { subject: id.to_string(), password_hash, disabled, roles, permissions, tokens_since }
    }
}

/// The users in the service's own database, in the table `auth_users`: the default [`UserStore`] of a service with
/// authentication. Cheap to clone.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # use crud_runtime::auth::Auth;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
/// let service = Service::connect("sqlite::memory:").await?.auth(auth).migrate().await?;
/// let users = service.users();
/// users.create_user("ada", "correct horse").await?;
/// users.set_roles("ada", ["editor"]).await?;
/// users.grant("ada", ["orders:purge"]).await?;
/// # Ok(()) }
/// ```
///
/// New roles and permissions are in tokens from the next login or refresh on. A disabled user can do neither.
#[derive(Clone)]
pub struct Users {
    store: Store<AuthUser>,
    clock: Clock,
    password_hasher: PasswordHasher,
}

impl Users {
    pub(crate) fn new(adapter: Arc<dyn Adapter>, clock: &Clock, password_hasher: PasswordHasher) -> Self {
        Self { store: store(adapter, clock), clock: clock.clone(), password_hasher }
    }

    /// Creates a user without roles or permissions.
    ///
    /// # Errors
    /// `conflict` when the name is taken; `validation_failed` when the name is empty or longer than 255
    /// characters, or the password has fewer than 8 characters or more than 1024 bytes.
    pub async fn create_user(&self, username: &str, password: &str) -> Result<User> {
        self.create(username, password, None).await
    }

    /// Creates a user with these roles if there are no users yet; returns whether it did.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # use crud_runtime::auth::Auth;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    /// # let service = Service::connect("sqlite::memory:").await?.auth(auth).migrate().await?;
    /// let users = service.users();
    /// assert!(users.create_first("admin", "correct horse", ["admin"]).await?);
    /// assert!(!users.create_first("admin", "another horse", ["admin"]).await?, "the password stays");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `validation_failed` as [`create_user`](Self::create_user).
    pub async fn create_first<T: Into<String>>(
        &self,
        username: &str,
        password: &str,
        roles: impl IntoIterator<Item = T>,
    ) -> Result<bool> {
        if self.store.count(Select::all()).await? > 0 {
            return Ok(false);
        }
        let roles = roles.into_iter().map(Into::into).collect();
        match self.create(username, password, Some(roles)).await {
            // Another process created it first.
            Err(Error::Problem(problem)) if problem.code() == Code::Conflict => Ok(false),
            other => other.map(|_| true),
        }
    }

    /// Sets a user's password. Refresh tokens issued before are refused.
    ///
    /// # Errors
    /// `not_found`; `validation_failed` as [`create_user`](Self::create_user).
    pub async fn set_password(&self, username: &str, password: &str) -> Result<User> {
        let hash = self.password_hasher.hash(password).await?;
        self.update(username, AuthUserPatch::default().password_hash(hash).tokens_since(self.clock.stamp())).await
    }

    /// Replaces a user's roles.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn set_roles<T: Into<String>>(&self, username: &str, roles: impl IntoIterator<Item = T>) -> Result<User> {
        let roles: Vec<String> = roles.into_iter().map(Into::into).collect();
        self.update(username, AuthUserPatch::default().roles(roles)).await
    }

    /// Adds to a user's permissions.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn grant<T: Into<String>>(
        &self,
        username: &str,
        permissions: impl IntoIterator<Item = T>,
    ) -> Result<User> {
        let mut all = self.require(username).await?.permissions;
        for permission in permissions {
            let permission = permission.into();
            if !all.contains(&permission) {
                all.push(permission);
            }
        }
        self.set_permissions(username, all).await
    }

    /// Replaces a user's permissions.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn set_permissions<T: Into<String>>(
        &self,
        username: &str,
        permissions: impl IntoIterator<Item = T>,
    ) -> Result<User> {
        let permissions: Vec<String> = permissions.into_iter().map(Into::into).collect();
        self.update(username, AuthUserPatch::default().permissions(permissions)).await
    }

    /// Disables a user: logins and refreshes fail.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn disable(&self, username: &str) -> Result<User> {
        self.update(username, AuthUserPatch::default().disabled(true)).await
    }

    /// Enables a disabled user.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn enable(&self, username: &str) -> Result<User> {
        self.update(username, AuthUserPatch::default().disabled(false)).await
    }

    /// The principal of a user's requests.
    ///
    /// # Errors
    /// `not_found`.
    #[cfg(feature = "testing")]
    pub(crate) async fn principal(&self, username: &str) -> Result<Principal> {
        Ok(User::from(self.require(username).await?).principal())
    }

    async fn create(&self, username: &str, password: &str, roles: Option<Vec<String>>) -> Result<User> {
        let password_hash = self.password_hasher.hash(password).await?;
        let user = NewAuthUser {
            username: username.to_owned(),
            password_hash,
            disabled: None,
            roles,
            permissions: None,
            tokens_since: None,
        };
        Ok(self.store.create(user).await?.into())
    }

    async fn update(&self, username: &str, patch: AuthUserPatch) -> Result<User> {
        let user = self.require(username).await?;
        Ok(self.store.update(user.id, patch).await?.into())
    }

    async fn require(&self, username: &str) -> Result<AuthUser> {
        let missing = || Problem::new(Code::NotFound, format!("there is no user {username}"));
        Ok(self.find(username).await?.ok_or_else(missing)?)
    }

    async fn find(&self, username: &str) -> Result<Option<AuthUser>> {
        Ok(self.store.list(AuthUser::FIELDS.username.eq(username).limit(1)).await?.pop())
    }
}

impl UserStore for Users {
    fn find_by_username<'a>(&'a self, username: &'a str) -> BoxFuture<'a, Result<Option<User>>> {
        Box::pin(async move { Ok(self.find(username).await?.map(User::from)) })
    }

    fn find_by_subject<'a>(&'a self, subject: &'a str) -> BoxFuture<'a, Result<Option<User>>> {
        Box::pin(async move {
            // Subjects issued here are keys of this table.
            let Ok(id) = subject.parse::<i64>() else { return Ok(None) };
            Ok(self.store.find(id).await?.map(User::from).filter(|user| user.subject == subject))
        })
    }
}

impl fmt::Debug for Users {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Users").finish_non_exhaustive()
    }
}
