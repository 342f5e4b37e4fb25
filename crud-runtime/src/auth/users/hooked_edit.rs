//! [`HookedEdit`]: a change of a user in a transaction, with the program's hooks.

use crate::auth::User;
use crate::auth::users::hooks::{UserChange, UserHooks};
use crate::auth::users::managed::lock_other_manager;
use crate::auth::users::manager_rule::ManagerRule;
use crate::auth::users::table::{AuthUser, end_hooked, patch_of};
use crate::storage::error::Result;
use crate::store::app::App;
use crate::store::transaction::Tx;

/// A change of a user in a transaction, with the program's hooks.
pub(in crate::auth) struct HookedEdit<'e> {
    pub(in crate::auth) id: i64,
    /// Sets the new values.
    pub(in crate::auth) apply: &'e (dyn Fn(User) -> Result<User> + Sync),
    /// The new name.
    pub(in crate::auth) name: Option<String>,
    /// The rule for the users who manage the others: one of them must remain.
    pub(in crate::auth) rule: Option<&'e ManagerRule>,
}

impl HookedEdit<'_> {
    /// Applies the change in a separate transaction.
    pub(in crate::auth) async fn update(&self, hooks: &UserHooks, app: &App) -> Result<AuthUser> {
        app.transaction(async |tx| self.update_in(hooks, app, tx).await).await
    }

    /// Applies the change in a given transaction.
    pub(in crate::auth) async fn update_in(&self, hooks: &UserHooks, app: &App, tx: &mut Tx<'_>) -> Result<AuthUser> {
        let Self { id, apply, name, rule } = self;
        let stored = tx.store::<AuthUser>().lock(*id).await?;
        let old_name = stored.username.clone();
        let username = name.clone().unwrap_or_else(|| old_name.clone());
        let old = User::from(stored);
        let mut change = UserChange { username, new: apply(old.clone())?, old: Some(old.clone()) };
        hooks.begin(&mut change, &mut tx.ctx()).await?;
        change.new.end_sessions_since(&old, app.clock().now());
        if let Some(rule) = rule.filter(|rule| rule.admits(&old) && !rule.admits(&change.new)) {
            lock_other_manager(tx, rule, *id).await?;
        }
        let patch = patch_of(change.new)?.username(change.username.as_str());
        let row = tx.store::<AuthUser>().update(*id, patch).await?;
        change.new = row.clone().into();
        if change.new != old || row.username != old_name {
            end_hooked(hooks, app, change, tx).await?;
        }
        Ok(row)
    }
}
