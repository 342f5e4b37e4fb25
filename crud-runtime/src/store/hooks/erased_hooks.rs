//! [`ErasedHooks`]: the functions that the attributes name, called as the pipeline calls hooks: without their resource's type.

use std::any::type_name;
use std::marker::PhantomData;

use super::changed::{Changed, ChangedData};
use super::changeset::{Changeset, ChangesetData};
use super::context::HookContext;
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::storage::future::BoxFuture;
use crate::store::app::App;

/// The calls of the hooks of `R`, for expansions.
///
/// A trait checks the signature of each hook, so that a wrong one is a single error on the path in the attribute.
#[derive(Debug)]
pub struct ErasedHooks<R>(PhantomData<fn() -> R>);

impl<R: Resource> ErasedHooks<R> {
    /// Calls a `validate` function.
    pub fn validate<F>(hook: F, change: &mut ChangesetData) -> Result<(), Problem>
    where
        F: for<'h, 'c> Fn(&'h mut Changeset<'c, R>),
    {
        hook(&mut Changeset::new(change)?);
        change.misuse_by(type_name::<F>())
    }

    /// Calls a `before` hook.
    pub fn before<'a, F>(
        hook: F,
        change: &'a mut ChangesetData,
        ctx: &'a mut HookContext<'_>,
    ) -> BoxFuture<'a, Result<(), Problem>>
    where
        F: for<'h> BeforeHook<'h, R> + 'a,
    {
        let ctx = ctx.clone();
        Box::pin(async move {
            let mut ctx = ctx; // of a shorter lifetime than the one that is captured
            hook.call(&mut Changeset::new(change)?, &mut ctx).await?;
            change.misuse_by(type_name::<F>())
        })
    }

    /// Calls an `after` hook.
    pub fn after<'a, F>(
        hook: F,
        done: &'a ChangedData,
        ctx: &'a mut HookContext<'_>,
    ) -> BoxFuture<'a, Result<(), Problem>>
    where
        F: for<'h> AfterHook<'h, R> + 'a,
    {
        let ctx = ctx.clone();
        Box::pin(async move {
            let mut ctx = ctx; // as above
            let done = Changed::borrowed(done)?;
            hook.call(&done, &mut ctx).await
        })
    }

    /// Calls a `committed` hook.
    #[allow(clippy::needless_pass_by_value)] // a function item, as for the other hooks
    pub fn committed<F: CommittedHook<R>>(hook: F, done: ChangedData, app: App) -> BoxFuture<'static, ()> {
        match Changed::owned(done) {
            Ok(done) => Box::pin(hook.call(done, app)),
            Err(error) => Box::pin(async move {
                tracing::error!(%error, resource = R::DESCRIPTOR.name, "a committed change could not be read");
            }),
        }
    }
}

/// A `before` hook: `async fn(&mut Changeset<'_, R>, &mut HookContext<'_>) -> Result<(), Problem>`.
#[diagnostic::on_unimplemented(
    message = "expected `async fn(&mut Changeset<'_, {R}>, &mut HookContext<'_>) -> Result<(), Problem>`, found `{Self}`",
    label = "not a `before` hook"
)]
pub trait BeforeHook<'h, R: 'h>: Send {
    /// The future that the hook returns.
    type Future: HookFuture + Send + 'h;

    /// Calls the hook.
    fn call(&self, change: &'h mut Changeset<'h, R>, ctx: &'h mut HookContext<'h>) -> Self::Future;
}

impl<'h, R, F, T> BeforeHook<'h, R> for F
where
    R: 'h,
    F: Fn(&'h mut Changeset<'h, R>, &'h mut HookContext<'h>) -> T + Send,
    T: HookFuture + Send + 'h,
{
    type Future = T;

    fn call(&self, change: &'h mut Changeset<'h, R>, ctx: &'h mut HookContext<'h>) -> T {
        self(change, ctx)
    }
}

/// An `after` hook: `async fn(&Changed<'_, R>, &mut HookContext<'_>) -> Result<(), Problem>`.
#[diagnostic::on_unimplemented(
    message = "expected `async fn(&Changed<'_, {R}>, &mut HookContext<'_>) -> Result<(), Problem>`, found `{Self}`",
    label = "not an `after` hook"
)]
pub trait AfterHook<'h, R: 'h>: Send {
    /// The future that the hook returns.
    type Future: HookFuture + Send + 'h;

    /// Calls the hook.
    fn call(&self, done: &'h Changed<'h, R>, ctx: &'h mut HookContext<'h>) -> Self::Future;
}

impl<'h, R, F, T> AfterHook<'h, R> for F
where
    R: 'h,
    F: Fn(&'h Changed<'h, R>, &'h mut HookContext<'h>) -> T + Send,
    T: HookFuture + Send + 'h,
{
    type Future = T;

    fn call(&self, done: &'h Changed<'h, R>, ctx: &'h mut HookContext<'h>) -> T {
        self(done, ctx)
    }
}

/// The future that a `before` or an `after` hook returns.
#[diagnostic::on_unimplemented(
    message = "expected an `async fn` that returns `Result<(), Problem>`, found a function that returns `{Self}`",
    label = "not an `async fn(…) -> Result<(), Problem>`"
)]
pub trait HookFuture: Future<Output = Result<(), Problem>> {}

#[diagnostic::do_not_recommend]
impl<T: Future<Output = Result<(), Problem>>> HookFuture for T {}

/// A `committed` hook: `async fn(Changed<'static, R>, App)`.
#[diagnostic::on_unimplemented(
    message = "expected `async fn(Changed<'static, {R}>, App)`, found `{Self}`",
    label = "not a `committed` hook"
)]
pub trait CommittedHook<R> {
    /// The future that the hook returns.
    type Future: CommittedFuture + Send + 'static;

    /// Calls the hook.
    fn call(self, done: Changed<'static, R>, app: App) -> Self::Future;
}

impl<R, F, T> CommittedHook<R> for F
where
    F: FnOnce(Changed<'static, R>, App) -> T,
    T: CommittedFuture + Send + 'static,
{
    type Future = T;

    fn call(self, done: Changed<'static, R>, app: App) -> T {
        self(done, app)
    }
}

/// The future that a `committed` hook returns.
#[diagnostic::on_unimplemented(
    message = "expected an `async fn` that returns nothing, found a function that returns `{Self}`",
    label = "not an `async fn(…)` without a result: the change is durable, and no error can undo it"
)]
pub trait CommittedFuture: Future<Output = ()> {}

#[diagnostic::do_not_recommend]
impl<T: Future<Output = ()>> CommittedFuture for T {}
