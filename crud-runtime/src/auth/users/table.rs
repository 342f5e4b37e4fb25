//! [`Users`]: the table of users in the service's own database.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value as Json};

use crate::Resource;
use crate::auth::login::password::PasswordHasher;
use crate::auth::memberships::Memberships;
use crate::auth::token::claims::{RESERVED, new_id};
use crate::auth::users::hooked_edit::HookedEdit;
use crate::auth::users::hooks::{UserChange, UserHooks};
use crate::auth::{User, UserStore};
use crate::model::access::Roles;
use crate::model::changes::Changes;
use crate::model::clock::Clock;
use crate::model::column::Column;
#[cfg(feature = "testing")]
use crate::model::principal::Principal;
use crate::model::problem::{Code, FieldError, Problem};
use crate::query::Select;
use crate::storage::adapter::{Adapter, BoxFuture};
use crate::storage::error::{Error, Result};
use crate::store::app::App;
use crate::store::transaction::Tx;
use crate::store::transaction::shared::SharedTransaction;
use crate::store::typed::store::Store;

/// Maximum number of users in a list.
const LISTED: u64 = 1_000;

/// A row of the table `auth_users`.
#[derive(Clone, Resource)]
#[crud(table("auth_users", new), prefix = "/auth/users")]
pub(crate) struct AuthUser {
    pub(in crate::auth) id: i64,
    #[crud(unique, length(min = 1, max = 255))]
    pub(in crate::auth) username: String,
    password_hash: String,
    #[crud(default = false)]
    pub(in crate::auth) disabled: bool,
    #[crud(default(Vec::new()))]
    pub(in crate::auth) roles: Vec<String>,
    #[crud(default(Vec::new()))]
    pub(in crate::auth) permissions: Vec<String>,
    pub(in crate::auth) claims: Option<serde_json::Value>,
    /// See [`User::generation`].
    #[crud(length(max = 36))]
    generation: Option<String>,
    /// See [`User::tokens_since`].
    tokens_since: Option<DateTime<Utc>>,
    #[crud(created_at)]
    pub(in crate::auth) created_at: DateTime<Utc>,
    #[crud(updated_at)]
    pub(in crate::auth) updated_at: DateTime<Utc>,
}

impl From<AuthUser> for User {
    fn from(row: AuthUser) -> Self {
        let AuthUser { id, password_hash, disabled, roles, permissions, claims, generation, tokens_since, .. } = row;
        let claims = claims_of(claims);
        Self { subject: id.to_string(), password_hash, disabled, roles, permissions, claims, generation, tokens_since }
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
    pub(in crate::auth) store: Store<AuthUser>,
    clock: Clock,
    pub(in crate::auth) password_hasher: PasswordHasher,
    /// The program's rules about changes, and the storage that they work with.
    pub(in crate::auth) hooks: Option<(Arc<UserHooks>, App)>,
    /// The memberships of users in tenants, and the storage by which they are written.
    pub(in crate::auth) memberships: Option<(Arc<Memberships>, App)>,
    /// The roles, and what they imply.
    pub(in crate::auth) roles: Roles,
    /// Roles that reach beyond one tenant, which no membership grants.
    pub(in crate::auth) beyond_tenants: Vec<String>,
    /// The transaction of the program that changes are part of.
    pub(in crate::auth) transaction: Option<Arc<SharedTransaction>>,
}

impl Users {
    pub(crate) fn new(adapter: Arc<dyn Adapter>, clock: &Clock, password_hasher: PasswordHasher) -> Self {
        Self {
            store: App::internal(adapter, clock).own_store(),
            clock: clock.clone(),
            password_hasher,
            hooks: None,
            memberships: None,
            roles: Roles::default(),
            beyond_tenants: Vec::new(),
            transaction: None,
        }
    }

    /// Adds the memberships of users, and the roles of the service, with those that reach beyond one tenant.
    pub(crate) fn with_access(
        self,
        memberships: Option<Arc<Memberships>>,
        (roles, beyond_tenants): (Roles, Vec<String>),
        app: App,
    ) -> Self {
        Self { memberships: memberships.map(|memberships| (memberships, app)), roles, beyond_tenants, ..self }
    }

    /// The users within a transaction of the program.
    pub(in crate::auth) fn within(self, transaction: Arc<SharedTransaction>, app: &App) -> Self {
        let store = Store::new(app.unscoped(), Some(transaction.clone()));
        Self { store, transaction: Some(transaction), ..self }
    }

    /// Adds the program's hooks about changes.
    pub(crate) fn with_hooks(self, hooks: Arc<UserHooks>, app: App) -> Self {
        Self { hooks: Some((hooks, app)), ..self }
    }

    /// Creates a user, without roles or permissions unless [`CreateUser`] gets some.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # use crud_runtime::auth::Auth;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    /// # let service = Service::connect("sqlite::memory:").await?.auth(auth).migrate().await?;
    /// let ann = service.users().create_user("ann", "correct horse").roles(["customer"]).claim("customer", 7).await?;
    /// assert_eq!(ann.claims["customer"], 7);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `conflict` when the name is taken; `validation_failed` when the name is empty or longer than 255
    /// characters, the password has fewer than 8 characters or more than 1024 bytes, or a claim is one that the service
    /// sets.
    pub fn create_user<'u>(&'u self, username: &'u str, password: &'u str) -> CreateUser<'u> {
        self.creation(username, Secret::Password(password))
    }

    /// Creates a user with the hash of a password, from [`hash_password`](Self::hash_password) or of another program:
    /// Argon2, in the PHC string format. With an empty hash, no password logs the user in.
    ///
    /// # Errors
    /// `conflict` when the name is taken; `validation_failed` for a name or a claim as [`create_user`](Self::create_user).
    pub fn create_hashed<'u>(&'u self, username: &'u str, hash: &'u str) -> CreateUser<'u> {
        self.creation(username, Secret::Hash(hash))
    }

    fn creation<'u>(&'u self, username: &'u str, secret: Secret<'u>) -> CreateUser<'u> {
        CreateUser { users: self, username, secret, roles: Vec::new(), permissions: Vec::new(), claims: Map::new() }
    }

    /// Hashes a password, in the queue of the service's logins: before a transaction, which other writers wait for.
    ///
    /// # Errors
    /// `validation_failed` as [`create_user`](Self::create_user); `unavailable` when too many hashes wait.
    pub async fn hash_password(&self, password: &str) -> Result<String> {
        Ok(self.password_hasher.hash(password).await?)
    }

    /// The name of the user of tokens with this `sub`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn name_of(&self, subject: &str) -> Result<Option<String>> {
        Ok(self.find_named(subject).await?.map(|(name, _)| name))
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
        match self.create_user(username, password).roles(roles).await {
            // Another process created the user first.
            Err(Error::Problem(problem)) if problem.code() == Code::Conflict => Ok(false),
            other => other.map(|_| true),
        }
    }

    /// The users and their names, by name: the first thousand. [`list_after`](Self::list_after) has the next ones.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self) -> Result<Vec<(String, User)>> {
        self.list_after("").await
    }

    /// The next thousand of the users and their names, by name, after this name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_after(&self, name: &str) -> Result<Vec<(String, User)>> {
        let later = Select::from(AuthUser::FIELDS.username.gt(name));
        let users = self.store.list(later.order_by(AuthUser::FIELDS.username.asc()).limit(LISTED)).await?;
        Ok(users.into_iter().map(|user| (user.username.clone(), user.into())).collect())
    }

    /// Sets a user's password. Refresh tokens issued before are refused.
    ///
    /// # Errors
    /// `not_found`; `validation_failed` as [`create_user`](Self::create_user).
    pub async fn set_password(&self, username: &str, password: &str) -> Result<User> {
        let hash = self.password_hasher.hash(password).await?;
        self.set_password_hash(username, hash).await
    }

    /// Replaces the hash of a user's password. Refresh tokens issued before are refused.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn set_password_hash(&self, username: &str, hash: String) -> Result<User> {
        self.update(username, AuthUserPatch::default().password_hash(hash)).await
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
        let granted: Vec<String> = permissions.into_iter().map(Into::into).collect();
        let apply = |mut user: User| {
            for permission in &granted {
                if !user.permissions.contains(permission) {
                    user.permissions.push(permission.clone());
                }
            }
            Ok(user)
        };
        let row = self.require(username).await?;
        if self.is_locking() {
            // The later of two grants at once reads the permissions of the earlier one.
            return self.edit_locked(HookedEdit { id: row.id, apply: &apply, name: None, rule: None }).await;
        }
        self.set_permissions(username, apply(row.into())?.permissions).await
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

    /// Replaces a user's claims: the values of further claims in the user's tokens, such as a tenant's id.
    ///
    /// # Errors
    /// `not_found`; `validation_failed` when a claim is one that the service sets, such as `sub`.
    pub async fn set_claims(&self, username: &str, claims: Map<String, Json>) -> Result<User> {
        check_claims(&claims)?;
        self.update(username, AuthUserPatch::default().claims(Json::Object(claims))).await
    }

    /// Gives a user another name.
    ///
    /// # Errors
    /// `not_found`; `conflict` when the name is taken; `validation_failed` for a name as [`create_user`](Self::create_user).
    pub async fn rename(&self, username: &str, new: &str) -> Result<User> {
        self.update(username, AuthUserPatch::default().username(new)).await
    }

    /// Ends a user's sessions: refresh tokens issued before are refused. Access tokens live until they expire, unless their
    /// sessions are [revoked](crate::auth::Auth::revoke).
    ///
    /// # Errors
    /// `not_found`.
    pub async fn end_sessions(&self, username: &str) -> Result<User> {
        self.update(username, AuthUserPatch::default().generation(Some(new_id()))).await
    }

    /// Disables a user: logins and refreshes fail. Refresh tokens issued before stay refused when the user is enabled
    /// again.
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

    async fn update(&self, username: &str, patch: AuthUserPatch) -> Result<User> {
        let row = self.require(username).await?;
        let (id, changes) = (row.id, Changes::from(patch.clone()));
        if self.hooks.is_some() {
            let apply = |user| apply(user, &changes);
            return self.edit_locked(HookedEdit { id, apply: &apply, name: new_name(&changes)?, rule: None }).await;
        }
        let old = User::from(row);
        let mut new = apply(old.clone(), &changes)?;
        new.end_sessions_since(&old, self.clock.now());
        let ends = new.generation != old.generation;
        let patch = if ends { patch.generation(new.generation).tokens_since(new.tokens_since) } else { patch };
        Ok(self.store.update(id, patch).await?.into())
    }

    /// Whether a change can lock its user.
    fn is_locking(&self) -> bool {
        self.hooks.is_some() || self.store.untyped.app.adapter().capabilities().interactive
    }

    /// Changes a user under its lock, with the hooks, if there are any.
    async fn edit_locked(&self, edit: HookedEdit<'_>) -> Result<User> {
        let none = UserHooks::new();
        let (hooks, app) = match &self.hooks {
            Some((hooks, app)) => (&**hooks, app),
            None => (&none, &self.store.untyped.app),
        };
        let row = match &self.transaction {
            Some(transaction) => edit.update_in(hooks, app, &mut Tx::joined(app, transaction.clone())).await?,
            None => edit.update(hooks, app).await?,
        };
        Ok(row.into())
    }

    async fn require(&self, username: &str) -> Result<AuthUser> {
        let missing = || Problem::new(Code::NotFound, format!("there is no user {username}"));
        Ok(self.find(username).await?.ok_or_else(missing)?)
    }

    /// The user of tokens with this `sub`, with the name.
    pub(in crate::auth) async fn find_named(&self, subject: &str) -> Result<Option<(String, User)>> {
        // Subjects issued here are keys of this table.
        let Ok(id) = subject.parse::<i64>() else { return Ok(None) };
        let found = self.store.find(id).await?.map(|row| (row.username.clone(), User::from(row)));
        Ok(found.filter(|(_, user)| user.subject == subject))
    }

    async fn find(&self, username: &str) -> Result<Option<AuthUser>> {
        Ok(self.store.list(AuthUser::FIELDS.username.eq(username).limit(1)).await?.pop())
    }
}

/// The creation of a user, from [`Users::create_user`]: `.await` it.
#[must_use = "awaiting it creates the user"]
pub struct CreateUser<'u> {
    users: &'u Users,
    username: &'u str,
    secret: Secret<'u>,
    roles: Vec<String>,
    permissions: Vec<String>,
    claims: Map<String, Json>,
}

/// The secret that a user is created with.
enum Secret<'u> {
    Password(&'u str),
    Hash(&'u str),
}

impl fmt::Debug for CreateUser<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreateUser").field("username", &self.username).finish_non_exhaustive()
    }
}

impl CreateUser<'_> {
    /// Gives the user roles.
    pub fn roles<T: Into<String>>(mut self, roles: impl IntoIterator<Item = T>) -> Self {
        self.roles.extend(roles.into_iter().map(Into::into));
        self
    }

    /// Gives the user permissions.
    pub fn permissions<T: Into<String>>(mut self, permissions: impl IntoIterator<Item = T>) -> Self {
        self.permissions.extend(permissions.into_iter().map(Into::into));
        self
    }

    /// Gives the user's tokens a claim, such as a tenant's id.
    pub fn claim(mut self, name: impl Into<String>, value: impl Into<Json>) -> Self {
        self.claims.insert(name.into(), value.into());
        self
    }

    async fn create(self) -> Result<User> {
        let Self { users, username, secret, roles, permissions, claims } = self;
        check_claims(&claims)?;
        let hash = match secret {
            Secret::Password(password) => users.password_hasher.hash(password).await?,
            Secret::Hash(hash) => hash.to_owned(),
        };
        let user = User { roles, permissions, claims, ..User::new("", hash) };
        match &users.hooks {
            None => Ok(users.store.create(new_of(username, user)?).await?.into()),
            Some((hooks, app)) => match &users.transaction {
                Some(transaction) => {
                    create_in(hooks, app, username, user, &mut Tx::joined(app, transaction.clone())).await
                }
                None => app.transaction(async |tx| create_in(hooks, app, username, user.clone(), tx).await).await,
            },
        }
    }
}

impl<'u> IntoFuture for CreateUser<'u> {
    type Output = Result<User>;
    type IntoFuture = BoxFuture<'u, Result<User>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.create())
    }
}

/// The claims of a stored value.
pub(in crate::auth) fn claims_of(stored: Option<Json>) -> Map<String, Json> {
    if let Some(Json::Object(claims)) = stored { claims } else { Map::new() }
}

/// The stored value of claims: none for none.
fn stored_claims(claims: Map<String, Json>) -> Option<Json> {
    (!claims.is_empty()).then_some(Json::Object(claims))
}

/// Refuses claims that the service sets.
fn check_claims(claims: &Map<String, Json>) -> Result<(), Problem> {
    let reserved = claims.keys().filter(|name| RESERVED.contains(&name.as_str()));
    let errors: Vec<FieldError> = reserved
        .map(|name| FieldError::field("claims", "reserved", format!("must not have `{name}`, which the service sets")))
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(Problem::validation(errors)) }
}

/// Creates a user in a transaction, with the hooks of users.
async fn create_in(hooks: &UserHooks, app: &App, username: &str, user: User, tx: &mut Tx<'_>) -> Result<User> {
    let mut change = UserChange { username: username.to_owned(), old: None, new: user };
    hooks.begin(&mut change, &mut tx.ctx()).await?;
    let new = new_of(&change.username, change.new)?;
    change.new = tx.store::<AuthUser>().create(new).await?.into();
    end_hooked(hooks, app, change, tx).await
}

/// The row of a user that is created.
fn new_of(username: &str, user: User) -> Result<NewAuthUser, Problem> {
    let User { password_hash, disabled, roles, permissions, claims, generation, tokens_since, .. } = user;
    check_claims(&claims)?;
    let new = NewAuthUser::new(username, password_hash).disabled(disabled).roles(roles);
    let new = new.permissions(permissions).claims(stored_claims(claims));
    Ok(new.generation(generation).tokens_since(tokens_since))
}

/// The patch that sets a user's values.
pub(in crate::auth) fn patch_of(user: User) -> Result<AuthUserPatch, Problem> {
    let User { password_hash, disabled, roles, permissions, claims, generation, tokens_since, .. } = user;
    check_claims(&claims)?;
    let patch = AuthUserPatch::default().password_hash(password_hash).disabled(disabled).roles(roles);
    let patch = patch.permissions(permissions).claims(stored_claims(claims));
    Ok(patch.generation(generation).tokens_since(tokens_since))
}

pub(in crate::auth) async fn end_hooked(
    hooks: &UserHooks,
    app: &App,
    change: UserChange,
    tx: &mut Tx<'_>,
) -> Result<User> {
    hooks.end(&change, &mut tx.ctx()).await?;
    if let Some(call) = hooks.committed_call(&change, app) {
        tx.after_commit(call);
    }
    Ok(change.new)
}

/// The user with these values.
fn apply(mut user: User, changes: &Changes) -> Result<User> {
    let fields = AuthUser::FIELDS;
    set(&mut user.password_hash, changes, fields.password_hash.column())?;
    set(&mut user.disabled, changes, fields.disabled.column())?;
    set(&mut user.roles, changes, fields.roles.column())?;
    set(&mut user.permissions, changes, fields.permissions.column())?;
    let mut claims = Some(Json::Object(user.claims));
    set(&mut claims, changes, fields.claims.column())?;
    user.claims = claims_of(claims);
    // If a change ends the sessions, `end_sessions_since` sets another generation.
    set(&mut user.generation, changes, fields.generation.column())?;
    Ok(user)
}

/// The name that changes give a user.
fn new_name(changes: &Changes) -> Result<Option<String>, Problem> {
    let Some(name) = changes.get(AuthUser::FIELDS.username.column()) else { return Ok(None) };
    String::from_value(name.borrow()).map(Some).map_err(Problem::internal)
}

/// Sets a value that changes have for a column.
fn set<T: Column>(value: &mut T, changes: &Changes, column: usize) -> Result<(), Problem> {
    if let Some(changed) = changes.get(column) {
        *value = T::from_value(changed.borrow()).map_err(Problem::internal)?;
    }
    Ok(())
}

impl UserStore for Users {
    fn find_by_username<'a>(&'a self, username: &'a str) -> BoxFuture<'a, Result<Option<User>>> {
        Box::pin(async move { Ok(self.find(username).await?.map(User::from)) })
    }

    fn find_by_subject<'a>(&'a self, subject: &'a str) -> BoxFuture<'a, Result<Option<User>>> {
        Box::pin(async move { Ok(self.find_named(subject).await?.map(|(_, user)| user)) })
    }
}

impl fmt::Debug for Users {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Users").finish_non_exhaustive()
    }
}
