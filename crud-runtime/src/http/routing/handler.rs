//! [`Handler`]: a function of the program, whatever its arguments and its answer.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use axum::extract::Request;
use axum::handler::Handler as AxumHandler;
use axum::response::{IntoResponse, Response};

use super::answer::{Answer, failed};
use super::argument::rejected::Rejected;
use super::describe::{DescribeArguments, Described, DescribedReply};
use super::function::{Function, HandlerFuture};
use super::prepare::prepare;
use super::route_context::RouteContext;
use crate::http::body::typed;
use crate::http::layer::plain_errors::as_problem;
use crate::http::routing::argument::Arguments;
use crate::http::state::ServiceState;
use crate::model::principal::Principal;
use crate::storage::future::BoxFuture;

/// A function of the program that answers requests over the state `S`: [`handler`] makes it.
///
/// ```
/// use crud_runtime::axum::response::Response;
/// use crud_runtime::routing::{Handler, Next, handler};
///
/// async fn audited(next: Next) -> crud_runtime::Result<Response> {
///     let response = next.run().await?;
///     println!("{}", response.status());
///     Ok(response)
/// }
///
/// let handler: Handler = handler(audited);
/// ```
pub struct Handler<S = ServiceState>(Arc<dyn Respond<S>>);

impl<S> Clone for Handler<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S> fmt::Debug for Handler<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler")
    }
}

/// A handler for [`Service::replace`](crate::Service::replace): an `async fn` of axum's extractors and those of this module.
///
/// ```
/// use crud_runtime::routing::{ListParameters, handler};
/// # use crud_runtime::prelude::*;
/// use crud_runtime::Page;
/// use crud_runtime::routing::Context;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(filter, pagination)]
/// struct Book { id: i64, title: String, is_lent: bool }
///
/// /// Lists the books that are there.
/// async fn list(ctx: Context, parameters: ListParameters<Book>) -> crud_runtime::Result<Page<Book>> {
///     ctx.store::<Book>().page(parameters.select().filter(Book::FIELDS.is_lent.eq(false))).await
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Book>();
/// let service = service.replace::<Book>(Operation::List, handler(list));
/// # Ok(()) }
/// ```
pub fn handler<S, A, M, D, R>(function: impl Function<A, Output: HandlerFuture<Answer: Answer<R>> + Send>) -> Handler<S>
where
    S: Clone + Send + Sync + 'static,
    A: Arguments<S, M> + DescribeArguments<S, D> + 'static,
    M: 'static,
    D: 'static,
    R: 'static,
{
    const { check_locks::<S, A, D>() };
    Handler::new(function)
}

/// Refuses a locked record beside a streamed body. The functions that make routes call it, so that the compiler points
/// to the program's call.
pub(super) const fn check_locks<S, A: DescribeArguments<S, D>, D>() {
    assert!(
        !(A::LOCKS && A::STREAMS),
        "`Locked` beside a streamed body: its client would decide how long the record is locked; take `Bytes`, or read the \
         record by `Record`"
    );
}

impl<S: Clone + Send + Sync + 'static> Handler<S> {
    /// A handler of a function whose arguments are checked.
    pub(super) fn new<A, M, D, R>(function: impl Function<A, Output: HandlerFuture<Answer: Answer<R>> + Send>) -> Self
    where
        A: Arguments<S, M> + DescribeArguments<S, D> + 'static,
        M: 'static,
        D: 'static,
        R: 'static,
    {
        Self(Arc::new(Erased(function, PhantomData)))
    }

    /// A handler of axum's, which describes neither its arguments nor its answer.
    pub(super) fn of_axum<T: 'static>(handler: impl AxumHandler<T, S>) -> Self {
        Self(Arc::new(OfAxum::<_, T>(handler, PhantomData)))
    }

    /// Sets the program's own state, like axum's method of this name. The extractor `State` takes it, or a part of it
    /// by `FromRef`.
    pub fn with_state<T: Send + Sync + 'static>(self, state: S) -> Handler<T> {
        Handler(Arc::new(WithState { handler: self, state }))
    }

    /// Answers a request with a [`RouteContext`]. What follows from the handler's function is compiled for each one; the rest
    /// is here.
    pub(super) async fn respond(&self, request: Request, state: S) -> Response {
        let context = match RouteContext::of(request.extensions()) {
            Ok(context) => context,
            Err(problem) => return problem.into_response(),
        };
        let request = match prepare(&context, request).await {
            Ok(request) => request,
            Err(problem) => return failed::mark(problem.into_response()),
        };
        let sender = context.identity.principal.clone();
        let Answered { response, has_failed } = match self.0.respond(sender, request, state).await {
            Ok(answered) => answered,
            Err(rejected) => return rejected.answer(&context).await,
        };
        if !has_failed && !response.status().is_client_error() && !response.status().is_server_error() {
            return response;
        }
        // A streamed body's own problem is more precise than the handler's.
        match context.take_body_problem() {
            Some(problem) => failed::mark(problem.into_response()),
            None if has_failed => failed::mark(response),
            None => response,
        }
    }

    pub(super) fn described(&self) -> Described {
        self.0.described()
    }
}

/// A handler, whatever its function.
trait Respond<S>: Send + Sync {
    /// Answers a request of a sender whose parts are read.
    fn respond(&self, sender: Option<Arc<Principal>>, request: Request, state: S) -> Responding;
    fn described(&self) -> Described;
}

type Responding = BoxFuture<'static, Result<Answered, Rejected>>;

/// The answer of a handler.
struct Answered {
    response: Response,
    has_failed: bool,
}

/// A function with its arguments, and the markers of its arguments and its answer.
struct Erased<F, A, M, D, R>(F, PhantomData<fn(A, M, D, R)>);

impl<S, F, A, M, D, R> Respond<S> for Erased<F, A, M, D, R>
where
    S: Send + Sync + 'static,
    F: Function<A>,
    F::Output: HandlerFuture + Send,
    <F::Output as HandlerFuture>::Answer: Answer<R>,
    A: Arguments<S, M> + DescribeArguments<S, D> + 'static,
    M: 'static,
    D: 'static,
    R: 'static,
{
    fn respond(&self, sender: Option<Arc<Principal>>, request: Request, state: S) -> Responding {
        let function = self.0.clone();
        Box::pin(async move {
            let arguments = typed::for_sender(sender, A::take(request, &state)).await?;
            let answer = function.run(arguments).await;
            Ok(Answered { has_failed: Answer::<R>::is_failure(&answer), response: Answer::<R>::into_answer(answer) })
        })
    }

    fn described(&self) -> Described {
        let mut described = Described::default();
        A::describe(&mut described);
        <F::Output as HandlerFuture>::Answer::describe(&mut described);
        described
    }
}

/// A handler of axum's, with the marker of its arguments.
struct OfAxum<H, T>(H, PhantomData<fn(T)>);

impl<S, T, H> Respond<S> for OfAxum<H, T>
where
    S: Send + Sync + 'static,
    T: 'static,
    H: AxumHandler<T, S>,
{
    fn respond(&self, sender: Option<Arc<Principal>>, request: Request, state: S) -> Responding {
        let called = self.0.clone().call(request, state);
        Box::pin(async move {
            // Rejections may be text, like the handler's own errors.
            let response = as_problem(typed::for_sender(sender, called).await).await;
            Ok(Answered { response, has_failed: false })
        })
    }

    fn described(&self) -> Described {
        Described { reply: DescribedReply::Any, ..Described::default() }
    }
}

struct WithState<S> {
    handler: Handler<S>,
    state: S,
}

impl<S: Clone + Send + Sync + 'static, T: Send + Sync + 'static> Respond<T> for WithState<S> {
    fn respond(&self, sender: Option<Arc<Principal>>, request: Request, _: T) -> Responding {
        self.handler.0.respond(sender, request, self.state.clone())
    }

    fn described(&self) -> Described {
        self.handler.described()
    }
}
