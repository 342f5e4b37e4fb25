//! [`ActionHandler`]: functions of the program as handlers.

use std::sync::Arc;

use axum::response::Response;

use super::Handler;
use super::argument::{ActionRequest, Argument, Described};
use super::reply::Reply;
use crate::model::descriptor::Descriptor;
use crate::model::problem::Problem;
use crate::storage::future::BoxFuture;

/// A function that answers requests: `async fn(Ctx, Locked<R>, Valid<B>) -> Result<impl Reply, E>`, with up to four
/// arguments in any order, where `Problem: From<E>`.
#[diagnostic::on_unimplemented(
    message = "expected a handler, found `{Self}`",
    label = "not a handler",
    note = "a handler is `async fn(Ctx, Locked<R>, Valid<B>) -> crud_runtime::Result<Record<R>>`: up to four arguments, \
            and a result of a `Reply` and an error that `Problem` is made from"
)]
pub trait ActionHandler<A>: Clone + Send + Sync + 'static {
    /// Answers a request.
    #[doc(hidden)]
    fn call(self, request: ActionRequest) -> BoxFuture<'static, Result<Response, Problem>>;

    /// Describes the handler for the document.
    #[doc(hidden)]
    fn describe() -> Described;

    /// The resources whose records it takes from the path.
    #[doc(hidden)]
    fn records() -> Vec<&'static Descriptor>;
}

macro_rules! functions {
    ($(($($argument:ident),*))+) => { $(
        impl<F, Fut, O, E, $($argument),*> ActionHandler<(Fut, $($argument,)*)> for F
        where
            F: FnOnce($($argument),*) -> Fut + Clone + Send + Sync + 'static,
            Fut: Future<Output = Result<O, E>> + Send,
            O: Reply,
            E: Send,
            Problem: From<E>,
            $($argument: Argument,)*
        {
            #[allow(non_snake_case, unused_mut)]
            fn call(self, mut request: ActionRequest) -> BoxFuture<'static, Result<Response, Problem>> {
                Box::pin(async move {
                    $($argument::prepare(&mut request).await?;)*
                    request.open().await?;
                    $(let $argument = $argument::take(&mut request).await?;)*
                    let replied = match self($($argument),*).await {
                        Ok(reply) => reply.render(&request).await,
                        Err(error) => Err(error.into()),
                    };
                    request.end(replied).await
                })
            }

            fn describe() -> Described {
                let mut described = Described::default();
                $($argument::describe(&mut described);)*
                O::describe(&mut described);
                described
            }

            fn records() -> Vec<&'static Descriptor> {
                let records: Vec<Option<&'static Descriptor>> = vec![$($argument::record()),*];
                records.into_iter().flatten().collect()
            }
        }
    )+ };
}

functions! {
    ()
    (A1)
    (A1, A2)
    (A1, A2, A3)
    (A1, A2, A3, A4)
}

/// A handler, whatever its function.
pub(crate) trait ErasedHandler: Send + Sync {
    fn call(&self, request: ActionRequest) -> BoxFuture<'static, Result<Response, Problem>>;
    fn describe(&self) -> Described;
    fn records(&self) -> Vec<&'static Descriptor>;
}

struct Erased<F, A>(F, std::marker::PhantomData<fn() -> A>);

impl<A: 'static, F: ActionHandler<A>> ErasedHandler for Erased<F, A> {
    fn call(&self, request: ActionRequest) -> BoxFuture<'static, Result<Response, Problem>> {
        self.0.clone().call(request)
    }

    fn describe(&self) -> Described {
        F::describe()
    }

    fn records(&self) -> Vec<&'static Descriptor> {
        F::records()
    }
}

pub(super) fn erase<A: 'static, F: ActionHandler<A>>(handler: F) -> Handler {
    Handler(Arc::new(Erased(handler, std::marker::PhantomData)))
}
