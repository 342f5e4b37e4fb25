//! [`OwnUsers`]: the service's own users, for handlers, hooks and jobs of the program.

use std::sync::Arc;

use crate::auth::login::password::PasswordHasher;
use crate::auth::memberships::Memberships;
use crate::auth::{UserHooks, Users};
use crate::model::access::Roles;
use crate::model::problem::Problem;
use crate::store::app::App;
use crate::store::transaction::Tx;

/// Parts of the service's own users that its handles have in common.
#[derive(Clone)]
pub(crate) struct OwnUsers {
    pub(crate) password_hasher: PasswordHasher,
    pub(crate) hooks: Option<Arc<UserHooks>>,
    pub(crate) memberships: Option<Arc<Memberships>>,
    pub(crate) roles: Roles,
    pub(crate) beyond_tenants: Vec<String>,
}

impl OwnUsers {
    fn of(app: &App) -> Result<&Self, Problem> {
        let missing = |_| Problem::internal("the service keeps no users: call `Service::auth` with a key");
        app.extension::<Self>().map_err(missing)
    }

    fn users(&self, app: &App) -> Users {
        let users = Users::new(app.adapter().clone(), app.clock(), self.password_hasher.clone());
        let users = users.with_access(
            self.memberships.clone(),
            (self.roles.clone(), self.beyond_tenants.clone()),
            app.unscoped(),
        );
        match &self.hooks {
            Some(hooks) => users.with_hooks(hooks.clone(), app.clone()),
            None => users,
        }
    }
}

impl App {
    /// The users in the service's own database, for handlers and jobs.
    ///
    /// # Errors
    /// `internal` where the service has none: users are elsewhere, or it issues no tokens.
    pub fn users(&self) -> Result<Users, Problem> {
        Ok(OwnUsers::of(self)?.users(self))
    }
}

impl Tx<'_> {
    /// The users in the service's own database, within the transaction: a user, its membership and the program's own
    /// records are committed together. [`Users::hash_password`] hashes before the transaction begins.
    ///
    /// ```
    /// use crud_runtime::auth::{Auth, User};
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Card { id: i64, user: i64 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    /// # let service = Service::connect("sqlite::memory:").await?.auth(auth).resource::<Card>().migrate().await?;
    /// let app = service.app();
    /// let hash = app.users()?.hash_password("correct horse").await?;
    /// app.transaction(async |tx| -> crud_runtime::Result<()> {
    ///     let ann = tx.users()?.create_hashed("ann", hash.as_str()).roles(["customer"]).await?;
    ///     tx.store::<Card>().create(NewCard { user: ann.id()? }).await?;
    ///     Ok(())
    /// })
    /// .await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `internal` where the service has none.
    pub fn users(&self) -> Result<Users, Problem> {
        let app = self.app();
        Ok(OwnUsers::of(app)?.users(app).within(self.shared().clone(), app))
    }
}
