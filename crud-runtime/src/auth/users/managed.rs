//! Users as an administrator sees and changes them over HTTP.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::auth::token::claims::new_id;
use crate::auth::users::hooked_edit::HookedEdit;
use crate::auth::users::manager_rule::ManagerRule;
use crate::auth::users::table::{AuthUser, claims_of, patch_of};
use crate::auth::{User, Users};
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::query::Select;
use crate::storage::error::Result;
use crate::store::app::App;
use crate::store::transaction::Tx;
use crate::store::typed::page::Page;
use crate::store::typed::store::Store;

/// Number of users that a search for administrators reads at a time.
const SCANNED: u64 = 500;

/// A user without the password's hash.
#[derive(Debug, Serialize)]
pub(crate) struct ManagedUser {
    pub(crate) id: i64,
    username: String,
    roles: Vec<String>,
    permissions: Vec<String>,
    claims: Map<String, Json>,
    disabled: bool,
    created_at: String,
    updated_at: String,
}

impl From<&AuthUser> for ManagedUser {
    fn from(row: &AuthUser) -> Self {
        let time = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Micros, true);
        Self {
            id: row.id,
            username: row.username.clone(),
            roles: row.roles.clone(),
            permissions: row.permissions.clone(),
            claims: claims_of(row.claims.clone()),
            disabled: row.disabled,
            created_at: time(row.created_at),
            updated_at: time(row.updated_at),
        }
    }
}

/// The values that an administrator sets; absent ones stay.
#[derive(Clone, Default)]
pub(crate) struct UserEdit {
    pub(crate) password: Option<String>,
    pub(crate) roles: Option<Vec<String>>,
    pub(crate) permissions: Option<Vec<String>>,
    pub(crate) claims: Option<Map<String, Json>>,
    pub(crate) disabled: Option<bool>,
    /// Whether the sessions end, whatever else changes.
    pub(crate) end_sessions: bool,
}

/// The users of a list.
#[derive(Debug, Default)]
pub(crate) struct UserFilter {
    /// The whole name.
    pub(crate) username: Option<String>,
    /// A part of the name, in any case.
    pub(crate) part: Option<String>,
    /// The keys.
    pub(crate) ids: Option<Vec<i64>>,
    pub(crate) disabled: Option<bool>,
}

impl UserEdit {
    /// The user with these values; `hash` is the new password's.
    fn apply(self, mut user: User, hash: Option<String>) -> User {
        let Self { password: _, roles, permissions, claims, disabled, end_sessions } = self;
        user.roles = roles.unwrap_or(user.roles);
        user.permissions = permissions.unwrap_or(user.permissions);
        user.claims = claims.unwrap_or(user.claims);
        user.disabled = disabled.unwrap_or(user.disabled);
        user.password_hash = hash.unwrap_or(user.password_hash);
        if end_sessions {
            user.generation = Some(new_id());
        }
        user
    }
}

impl Users {
    /// A page of the users, by name.
    pub(crate) async fn page(&self, filter: UserFilter, skip: u64, limit: u64) -> Result<Page<ManagedUser>> {
        let fields = AuthUser::FIELDS;
        let conditions = [
            filter.username.map(|name| fields.username.eq(name)),
            filter.part.map(|part| fields.username.icontains(&part)),
            filter.ids.map(|ids| fields.id.is_in(ids)),
            filter.disabled.map(|disabled| fields.disabled.eq(disabled)),
        ];
        let query = conditions.into_iter().flatten().fold(Select::all(), Select::filter);
        let query = query.order_by(fields.username.asc()).offset(skip).limit(limit);
        Ok(self.store.page(query).await?.map(|row| ManagedUser::from(&row)))
    }

    /// The user with this id.
    ///
    /// # Errors
    /// `not_found`.
    pub(crate) async fn managed(&self, id: i64) -> Result<ManagedUser> {
        Ok(ManagedUser::from(&self.store.find(id).await?.ok_or_else(|| missing(id))?))
    }

    /// Whether a principal that is one of these users may manage the others now: its row decides, not its token. `None`
    /// for principals of other issuers, which are not among them.
    pub(crate) async fn manages(&self, principal: &Principal, rule: &ManagerRule) -> Result<Option<bool>> {
        let user = self.find_named(principal.subject()).await?;
        Ok(user.map(|(_, user)| rule.admits(&user)))
    }

    /// Changes a user. A new password and disabling end the sessions.
    ///
    /// # Errors
    /// `not_found`; `conflict` when no user could manage the others; `validation_failed` as
    /// [`create_user`](Self::create_user).
    pub(crate) async fn edit(&self, app: &App, id: i64, edit: UserEdit, rule: &ManagerRule) -> Result<ManagedUser> {
        self.store.find(id).await?.ok_or_else(|| missing(id))?;
        let hash = match &edit.password {
            Some(password) => Some(self.password_hasher.hash(password).await?),
            None => None,
        };
        let hooks = self.hooks.as_ref().map(|(hooks, _)| hooks.clone()).unwrap_or_default();
        if app.adapter().capabilities().interactive {
            let apply = &|user| Ok(edit.clone().apply(user, hash.clone()));
            let edit = HookedEdit { id, apply, name: None, rule: Some(rule) };
            return Ok(ManagedUser::from(&edit.update(&hooks, app).await?));
        }
        let old = User::from(self.store.get(id).await?);
        let mut new = edit.apply(old.clone(), hash);
        new.end_sessions_since(&old, app.clock().now());
        let leaves = rule.admits(&old) && !rule.admits(&new);
        let changed = ManagedUser::from(&self.store.update(id, patch_of(new)?).await?);
        // Without a transaction of several calls, two managers who remove each other may both have seen one who stays.
        // So another manager is looked up after the change, which is undone if there is none.
        if leaves && next_manager(&self.store, rule, id, 0).await?.is_none() {
            self.store.update(id, patch_of(old)?).await?;
            return Err(rule.last().into());
        }
        Ok(changed)
    }
}

/// Locks another user who manages the others, so that one remains when this transaction ends.
pub(super) async fn lock_other_manager(tx: &mut Tx<'_>, rule: &ManagerRule, id: i64) -> Result<()> {
    let store = tx.store::<AuthUser>();
    let mut after = 0;
    while let Some(candidate) = next_manager(&store, rule, id, after).await? {
        // Another transaction may have changed the user before the lock.
        if rule.admits_row(store.lock(candidate).await?) {
            return Ok(());
        }
        after = candidate;
    }
    Err(rule.last().into())
}

/// The id of the next user after `after`, other than `beside`, who manages the others.
async fn next_manager(store: &Store<AuthUser>, rule: &ManagerRule, beside: i64, mut after: i64) -> Result<Option<i64>> {
    let fields = AuthUser::FIELDS;
    loop {
        let enabled = fields.disabled.eq(false).and(fields.id.gt(after));
        let users = store.list(Select::from(enabled).order_by(fields.id.asc()).limit(SCANNED)).await?;
        let Some(last) = users.last() else { return Ok(None) };
        after = last.id;
        for user in users.into_iter().filter(|user| user.id != beside) {
            let id = user.id;
            if rule.admits_row(user) {
                return Ok(Some(id));
            }
        }
    }
}

fn missing(id: i64) -> Problem {
    Problem::new(Code::NotFound, format!("there is no user with id {id}"))
}
