//! [`UserHooks`]: the program's own rules about changes of users.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use crate::auth::users::store::User;
use crate::model::problem::Problem;
use crate::storage::future::BoxFuture;
use crate::store::app::App;
use crate::store::hooks::context::HookContext;

/// The program's own rules about changes of the users in the service's own table, for
/// [`AuthBuilder::user_hooks`](crate::auth::AuthBuilder::user_hooks): they run in the transaction of each change, and after it.
///
/// The order is that of a resource's hooks: `before`, `validate`, the write, `after`, the commit, `committed`. A change
/// that changes nothing calls `before` and `validate` alone.
///
/// ```
/// use crud_runtime::auth::{Auth, UserChange, UserHooks};
/// use crud_runtime::error::{FieldError, Problem};
/// use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # struct Member { id: i64, username: String }
///
/// /// Names are lower-case.
/// fn lower_case(change: &UserChange) -> Result<(), Problem> {
///     if change.username().chars().any(char::is_uppercase) {
///         return Err(Problem::validation([FieldError::field("username", "case", "must be in lower case")]));
///     }
///     Ok(())
/// }
///
/// /// Every user is a member.
/// async fn add_member(change: &UserChange, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
///     if change.previous().is_none() {
///         ctx.as_program().store::<Member>().create(NewMember { username: change.username().to_owned() }).await?;
///     }
///     Ok(())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// let hooks = UserHooks::new().validate(lower_case).after(add_member);
/// let auth = Auth::builder().secret("a secret of at least thirty-two bytes").user_hooks(hooks).build()?;
/// let service = Service::connect("sqlite::memory:").await?.auth(auth).resource::<Member>().migrate().await?;
/// service.users().create_user("ada", "correct horse").await?;
/// assert_eq!(service.store::<Member>().count(Select::all()).await?, 1);
/// assert!(service.users().create_user("Bob", "correct horse").await.is_err());
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
#[must_use = "hooks do nothing until authentication has them"]
pub struct UserHooks {
    validate: Option<Arc<Validate>>,
    before: Option<Arc<dyn ErasedBefore>>,
    after: Option<Arc<dyn ErasedAfter>>,
    committed: Option<Arc<Committed>>,
}

type Validate = dyn Fn(&UserChange) -> Result<(), Problem> + Send + Sync;

type Committed = dyn Fn(UserChange, App) -> BoxFuture<'static, ()> + Send + Sync;

impl fmt::Debug for UserHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserHooks")
            .field("validate", &self.validate.is_some())
            .field("before", &self.before.is_some())
            .field("after", &self.after.is_some())
            .field("committed", &self.committed.is_some())
            .finish()
    }
}

/// A change of a user, as hooks see it.
#[derive(Debug, Clone)]
pub struct UserChange {
    pub(in crate::auth) username: String,
    pub(in crate::auth) old: Option<User>,
    pub(in crate::auth) new: User,
}

impl UserChange {
    /// The name that the user logs in with.
    pub fn username(&self) -> &str {
        &self.username
    }

    /// The user before the change; `None` when it is created.
    pub fn previous(&self) -> Option<&User> {
        self.old.as_ref()
    }

    /// The user after the change. The subject of a new user is empty until the user is written.
    pub fn user(&self) -> &User {
        &self.new
    }

    /// The user after the change, for a `before` hook, which can set roles, permissions and whether the user is
    /// disabled.
    pub fn user_mut(&mut self) -> &mut User {
        &mut self.new
    }
}

impl UserHooks {
    /// No hooks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks each user as it would be stored: `fn(&UserChange) -> Result<(), Problem>`.
    pub fn validate(mut self, hook: impl Fn(&UserChange) -> Result<(), Problem> + Send + Sync + 'static) -> Self {
        self.validate = Some(Arc::new(hook));
        self
    }

    /// Runs before each change is written: `async fn(&mut UserChange, &mut HookContext<'_>) -> Result<(), Problem>`.
    pub fn before(mut self, hook: impl for<'h> BeforeUser<'h> + 'static) -> Self {
        self.before = Some(Arc::new(hook));
        self
    }

    /// Runs when a change is written and not yet committed:
    /// `async fn(&UserChange, &mut HookContext<'_>) -> Result<(), Problem>`.
    pub fn after(mut self, hook: impl for<'h> AfterUser<'h> + 'static) -> Self {
        self.after = Some(Arc::new(hook));
        self
    }

    /// Runs after the commit of each change, at most once: `async fn(UserChange, App)`.
    pub fn committed<F, T>(mut self, hook: F) -> Self
    where
        F: Fn(UserChange, App) -> T + Send + Sync + 'static,
        T: Future<Output = ()> + Send + 'static,
    {
        self.committed = Some(Arc::new(move |change, app| Box::pin(hook(change, app))));
        self
    }

    /// Runs the hooks before the write.
    pub(in crate::auth) async fn begin(
        &self,
        change: &mut UserChange,
        ctx: &mut HookContext<'_>,
    ) -> Result<(), Problem> {
        if let Some(before) = &self.before {
            before.call(change, ctx).await?;
        }
        self.validate.as_ref().map_or(Ok(()), |validate| validate(change))
    }

    /// Runs the hook after the write.
    pub(in crate::auth) async fn end(&self, change: &UserChange, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
        match &self.after {
            Some(after) => after.call(change, ctx).await,
            None => Ok(()),
        }
    }

    /// The call of the hook after the commit.
    pub(in crate::auth) fn committed_call(&self, change: &UserChange, app: &App) -> Option<BoxFuture<'static, ()>> {
        self.committed.as_ref().map(|committed| committed(change.clone(), app.unscoped()))
    }
}

/// A `before` hook of users: `async fn(&mut UserChange, &mut HookContext<'_>) -> Result<(), Problem>`.
#[diagnostic::on_unimplemented(
    message = "expected `async fn(&mut UserChange, &mut HookContext<'_>) -> Result<(), Problem>`, found `{Self}`",
    label = "not a `before` hook of users"
)]
pub trait BeforeUser<'h>: Send + Sync {
    /// The future that the hook returns.
    type Future: Future<Output = Result<(), Problem>> + Send + 'h;

    /// Calls the hook.
    fn call(&self, change: &'h mut UserChange, ctx: &'h mut HookContext<'h>) -> Self::Future;
}

impl<'h, F, T> BeforeUser<'h> for F
where
    F: Fn(&'h mut UserChange, &'h mut HookContext<'h>) -> T + Send + Sync,
    T: Future<Output = Result<(), Problem>> + Send + 'h,
{
    type Future = T;

    fn call(&self, change: &'h mut UserChange, ctx: &'h mut HookContext<'h>) -> T {
        self(change, ctx)
    }
}

/// An `after` hook of users: `async fn(&UserChange, &mut HookContext<'_>) -> Result<(), Problem>`.
#[diagnostic::on_unimplemented(
    message = "expected `async fn(&UserChange, &mut HookContext<'_>) -> Result<(), Problem>`, found `{Self}`",
    label = "not an `after` hook of users"
)]
pub trait AfterUser<'h>: Send + Sync {
    /// The future that the hook returns.
    type Future: Future<Output = Result<(), Problem>> + Send + 'h;

    /// Calls the hook.
    fn call(&self, change: &'h UserChange, ctx: &'h mut HookContext<'h>) -> Self::Future;
}

impl<'h, F, T> AfterUser<'h> for F
where
    F: Fn(&'h UserChange, &'h mut HookContext<'h>) -> T + Send + Sync,
    T: Future<Output = Result<(), Problem>> + Send + 'h,
{
    type Future = T;

    fn call(&self, change: &'h UserChange, ctx: &'h mut HookContext<'h>) -> T {
        self(change, ctx)
    }
}

/// Declares a dyn-compatible trait for a hook. `$change`: the type in which the hook takes a change.
macro_rules! erased {
    ($erased:ident of $hook:ident: $change:ty) => {
        trait $erased: Send + Sync {
            fn call<'a>(&'a self, change: $change, ctx: &'a mut HookContext<'_>) -> BoxFuture<'a, Result<(), Problem>>;
        }

        impl<F: for<'h> $hook<'h>> $erased for F {
            fn call<'a>(&'a self, change: $change, ctx: &'a mut HookContext<'_>) -> BoxFuture<'a, Result<(), Problem>> {
                let ctx = ctx.clone();
                Box::pin(async move {
                    let mut ctx = ctx; // of a shorter lifetime than the one that is captured
                    $hook::call(self, change, &mut ctx).await
                })
            }
        }
    };
}

erased!(ErasedBefore of BeforeUser: &'a mut UserChange);
erased!(ErasedAfter of AfterUser: &'a UserChange);
