//! [`Check`]: the program's check of a request before its handler.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use super::context::Context;
use super::route_context::RouteContext;
use crate::model::problem::Problem;
use crate::storage::future::BoxFuture;

/// A check of a request whose access is admitted, before its parameters and its body are read.
#[derive(Clone)]
pub(crate) struct Check(Arc<CheckFn>);

type CheckFn = dyn Fn(Context) -> BoxFuture<'static, Result<(), Problem>> + Send + Sync;

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Check")
    }
}

impl Check {
    pub(super) fn new<F, Fut, E>(check: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        Problem: From<E>,
    {
        Self(Arc::new(move |ctx| {
            let checked = check(ctx);
            Box::pin(async move { checked.await.map_err(Problem::from) })
        }))
    }

    /// Checks a request.
    ///
    /// # Errors
    /// The refusal.
    pub(super) async fn run(&self, context: &Arc<RouteContext>) -> Result<(), Problem> {
        (self.0)(Context::new(context.clone())).await
    }
}
