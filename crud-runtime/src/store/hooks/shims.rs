//! [`Shims`]: the functions that the attributes name, called as the pipeline calls hooks: without their resource's type.

use std::any::type_name;
use std::marker::PhantomData;

use super::candidate::{Candidate, CandidateData, Errors, ErrorsData};
use super::change::{Change, ChangeData};
use super::cx::Cx;
use super::done::{Done, DoneData};
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::storage::future::BoxFuture;
use crate::store::app::App;

/// The calls of the hooks of `R`, for expansions.
///
/// A trait checks the signature of each hook, so that a wrong one is a single error on the path in the attribute.
#[derive(Debug)]
pub struct Shims<R>(PhantomData<fn() -> R>);

impl<R: Resource> Shims<R> {
    /// Calls a `validate` function.
    pub fn validate<F>(hook: F, record: &CandidateData, errors: &mut ErrorsData)
    where
        F: for<'h> Fn(&'h Candidate<'h, R>, &'h mut Errors<'h, R>),
    {
        hook(&Candidate::new(record), &mut Errors::new(errors));
    }

    /// Calls a `before` hook.
    pub fn before<'a, F>(hook: F, change: &'a mut ChangeData, cx: &'a mut Cx<'_>) -> BoxFuture<'a, Result<(), Problem>>
    where
        F: for<'h> BeforeHook<'h, R> + 'a,
    {
        let cx = cx.clone();
        Box::pin(async move {
            let mut cx = cx; // of a shorter lifetime than the one that is captured
            hook.call(&mut Change::new(change)?, &mut cx).await?;
            change.misuse_by(type_name::<F>())
        })
    }

    /// Calls an `after` hook.
    pub fn after<'a, F>(hook: F, done: &'a DoneData, cx: &'a mut Cx<'_>) -> BoxFuture<'a, Result<(), Problem>>
    where
        F: for<'h> AfterHook<'h, R> + 'a,
    {
        let cx = cx.clone();
        Box::pin(async move {
            let mut cx = cx; // as above
            let done = Done::borrowed(done)?;
            hook.call(&done, &mut cx).await
        })
    }

    /// Calls a `committed` hook.
    #[allow(clippy::needless_pass_by_value)] // a function item, as for the other hooks
    pub fn committed<F: CommittedHook<R>>(hook: F, done: DoneData, app: App) -> BoxFuture<'static, ()> {
        match Done::owned(done) {
            Ok(done) => Box::pin(hook.call(done, app)),
            Err(error) => Box::pin(async move {
                tracing::error!(%error, resource = R::DESCRIPTOR.name, "a committed change could not be read");
            }),
        }
    }
}

/// A `before` hook: `async fn(&mut Change<'_, R>, &mut Cx<'_>) -> Result<(), Problem>`.
#[diagnostic::on_unimplemented(
    message = "expected `async fn(&mut Change<'_, {R}>, &mut Cx<'_>) -> Result<(), Problem>`, found `{Self}`",
    label = "not a `before` hook"
)]
pub trait BeforeHook<'h, R: 'h>: Send {
    /// The future that the hook returns.
    type Future: HookFuture + Send + 'h;

    /// Calls it.
    fn call(&self, change: &'h mut Change<'h, R>, cx: &'h mut Cx<'h>) -> Self::Future;
}

impl<'h, R, F, T> BeforeHook<'h, R> for F
where
    R: 'h,
    F: Fn(&'h mut Change<'h, R>, &'h mut Cx<'h>) -> T + Send,
    T: HookFuture + Send + 'h,
{
    type Future = T;

    fn call(&self, change: &'h mut Change<'h, R>, cx: &'h mut Cx<'h>) -> T {
        self(change, cx)
    }
}

/// An `after` hook: `async fn(&Done<'_, R>, &mut Cx<'_>) -> Result<(), Problem>`.
#[diagnostic::on_unimplemented(
    message = "expected `async fn(&Done<'_, {R}>, &mut Cx<'_>) -> Result<(), Problem>`, found `{Self}`",
    label = "not an `after` hook"
)]
pub trait AfterHook<'h, R: 'h>: Send {
    /// The future that the hook returns.
    type Future: HookFuture + Send + 'h;

    /// Calls it.
    fn call(&self, done: &'h Done<'h, R>, cx: &'h mut Cx<'h>) -> Self::Future;
}

impl<'h, R, F, T> AfterHook<'h, R> for F
where
    R: 'h,
    F: Fn(&'h Done<'h, R>, &'h mut Cx<'h>) -> T + Send,
    T: HookFuture + Send + 'h,
{
    type Future = T;

    fn call(&self, done: &'h Done<'h, R>, cx: &'h mut Cx<'h>) -> T {
        self(done, cx)
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

/// A `committed` hook: `async fn(Done<'static, R>, App)`.
#[diagnostic::on_unimplemented(
    message = "expected `async fn(Done<'static, {R}>, App)`, found `{Self}`",
    label = "not a `committed` hook"
)]
pub trait CommittedHook<R> {
    /// The future that the hook returns.
    type Future: CommittedFuture + Send + 'static;

    /// Calls it.
    fn call(self, done: Done<'static, R>, app: App) -> Self::Future;
}

impl<R, F, T> CommittedHook<R> for F
where
    F: FnOnce(Done<'static, R>, App) -> T,
    T: CommittedFuture + Send + 'static,
{
    type Future = T;

    fn call(self, done: Done<'static, R>, app: App) -> T {
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
