//! The handlers: not generic over the resource, compiled once.

mod create;
mod delete;
mod get;
mod guard;
mod list;
mod reply;
mod request;
mod update;

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::extract::{FromRef, Request};
use axum::handler::Handler;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::time::{Instant, timeout_at};

use self::request::Incoming;
use crate::descriptor::{Descriptor, Operation, Operations};
use crate::error::{Code, Problem};
use crate::mounted::Mounted;
use crate::state::State;

/// A handler's future.
type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

/// The operations that share a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// `{prefix}`
    Collection,
    /// `{prefix}/{id}`
    Record,
}

impl Target {
    /// The path's operations by method; a `HEAD` is answered as a `GET`.
    pub(crate) const fn methods(self) -> &'static [(Method, Operation)] {
        match self {
            Self::Collection => &[(Method::GET, Operation::List), (Method::POST, Operation::Create)],
            Self::Record => &[
                (Method::GET, Operation::Get),
                (Method::PUT, Operation::Update),
                (Method::PATCH, Operation::Update),
                (Method::DELETE, Operation::Delete),
            ],
        }
    }

    /// The path that an operation has.
    pub(crate) fn of(operation: Operation) -> Self {
        let has = |target: Self| target.methods().iter().any(|(_, other)| *other == operation);
        if has(Self::Collection) { Self::Collection } else { Self::Record }
    }
}

/// A path of a service's own router: answers every method.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) state: State,
    pub(crate) mounted: Arc<Mounted>,
    pub(crate) target: Target,
}

impl Endpoint {
    fn operations(&self) -> Operations {
        self.mounted.resource().operations
    }
}

impl tower::Service<Request> for Endpoint {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let Self { state, mounted, target } = self.clone();
        let answer = dispatch(state, mounted, target, self.operations(), request);
        Box::pin(async move { Ok(answer.await) })
    }
}

/// Operations of a resource in a router of the program's own, whose state names the service.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DetachedEndpoint {
    pub(crate) resource: &'static Descriptor,
    pub(crate) target: Target,
    pub(crate) operations: Operations,
}

impl<S> Handler<((),), S> for DetachedEndpoint
where
    S: Clone + Send + Sync + 'static,
    State: FromRef<S>,
{
    type Future = Answer;

    fn call(self, request: Request, state: S) -> Answer {
        let Self { resource, target, operations } = self;
        let state = State::from_ref(&state);
        match state.find(resource).cloned() {
            Some(mounted) => Box::pin(dispatch(state, mounted, target, operations, request)),
            None => Box::pin(async move {
                Problem::internal(format!("{} is no resource of the service whose state this is", resource.name))
                    .into_response()
            }),
        }
    }
}

/// Runs the operation of a request's method, within the time that requests have.
async fn dispatch(
    state: State,
    mounted: Arc<Mounted>,
    target: Target,
    operations: Operations,
    request: Request,
) -> Response {
    let head = request.method() == Method::HEAD;
    let method = if head { &Method::GET } else { request.method() };
    let found = target.methods().iter().find(|(known, operation)| known == method && operations.contains(*operation));
    let Some((_, operation)) = found else {
        return without_operation(target, operations, request.method());
    };
    let deadline = Instant::now() + state.limits().request;
    let incoming = Incoming::new(state, mounted, request, deadline);
    let response = match timeout_at(deadline, run(*operation, incoming)).await {
        Ok(Ok(response)) => response,
        Ok(Err(problem)) => problem.into_response(),
        Err(_) => Problem::new(Code::Timeout, "the request took too long").into_response(),
    };
    if head { reply::without_body(response) } else { response }
}

async fn run(operation: Operation, incoming: Incoming) -> Result<Response, Problem> {
    match operation {
        Operation::List => list::list(incoming).await,
        Operation::Get => get::get(incoming).await,
        Operation::Create => create::create(incoming).await,
        Operation::Update => update::update(incoming).await,
        Operation::Delete => delete::delete(incoming).await,
    }
}

/// The answer to a method that no operation has: what there is.
fn without_operation(target: Target, operations: Operations, method: &Method) -> Response {
    let mut allowed = Vec::new();
    for (method, _) in target.methods().iter().filter(|(_, operation)| operations.contains(*operation)) {
        allowed.push(method.as_str());
        if method == Method::GET {
            allowed.push("HEAD");
        }
    }
    allowed.push("OPTIONS");
    no_operation(&allowed, method)
}

/// 204 to `OPTIONS`, 405 to other methods, both with `Allow`.
pub(crate) fn no_operation(allowed: &[&str], method: &Method) -> Response {
    let allowed = allowed.join(", ");
    let mut response = if method == Method::OPTIONS {
        (StatusCode::NO_CONTENT, Body::empty()).into_response()
    } else {
        let detail = format!("{method} is not allowed here; allowed are {allowed}");
        Problem::new(Code::MethodNotAllowed, detail).into_response()
    };
    if let Ok(allowed) = HeaderValue::from_str(&allowed) {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    response
}
