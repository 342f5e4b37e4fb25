//! The handlers: not generic over the resource, compiled once.

mod admission;
mod as_of;
mod audit_logs;
mod batch;
mod create;
mod delete;
mod get;
mod guard;
mod list;
mod payload;
mod purge;
mod reply;
mod request;
mod restore;
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

pub(crate) use self::audit_logs::list as audit_logs;
use self::request::Incoming;
#[cfg(feature = "auth")]
pub(crate) use self::{payload::Payload, reply::without_body};
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
    /// `{prefix}/batch`
    Batch,
    /// `{prefix}/batch/delete`, for clients that send no body with a DELETE
    BatchDelete,
    /// `{prefix}/restore`
    RestoreMany,
    /// `{prefix}/deleted`
    Deleted,
    /// `{prefix}/{id}/restore`
    Restore,
    /// `{prefix}/{id}/permanent`
    Permanent,
    /// `{prefix}/{id}/history`
    History,
}

impl Target {
    /// Every path. The first that has an operation is where it is found.
    pub(crate) const ALL: [Self; 9] = [
        Self::Collection,
        Self::Record,
        Self::Batch,
        Self::BatchDelete,
        Self::RestoreMany,
        Self::Deleted,
        Self::Restore,
        Self::Permanent,
        Self::History,
    ];

    /// What follows the resource's prefix.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Collection => "",
            Self::Record => "/{id}",
            Self::Batch => "/batch",
            Self::BatchDelete => "/batch/delete",
            Self::RestoreMany => "/restore",
            Self::Deleted => "/deleted",
            Self::Restore => "/{id}/restore",
            Self::Permanent => "/{id}/permanent",
            Self::History => "/{id}/history",
        }
    }

    /// The paths that a resource has. Those of records and of the collection it has in any case, if only to
    /// say which methods they lack.
    pub(crate) fn of_resource(resource: &Descriptor) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|target| {
            matches!(target, Self::Collection | Self::Record)
                || target.methods().iter().any(|(_, operation)| resource.offers(*operation))
        })
    }

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
            Self::Batch => &[
                (Method::POST, Operation::BatchCreate),
                (Method::PUT, Operation::BatchUpdate),
                (Method::DELETE, Operation::BatchDelete),
            ],
            Self::BatchDelete => &[(Method::POST, Operation::BatchDelete)],
            Self::RestoreMany => &[(Method::POST, Operation::RestoreMany)],
            Self::Deleted => &[(Method::DELETE, Operation::PurgeMany)],
            Self::Restore => &[(Method::POST, Operation::Restore)],
            Self::Permanent => &[(Method::DELETE, Operation::Purge)],
            Self::History => &[(Method::GET, Operation::History)],
        }
    }

    /// The path that an operation has.
    pub(crate) fn of(operation: Operation) -> Self {
        let has = |target: &Self| target.methods().iter().any(|(_, other)| *other == operation);
        Self::ALL.into_iter().find(has).unwrap_or(Self::Collection)
    }
}

/// A path of a service's own router: answers every method.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) state: State,
    pub(crate) mounted: Arc<Mounted>,
    pub(crate) target: Target,
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
        let resource = self.mounted.resource();
        let answer = dispatch(state, mounted, target, |operation| resource.offers(operation), request);
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
            Some(mounted) => {
                let offers = move |operation| operations.contains(operation) && resource.enables(operation);
                Box::pin(dispatch(state, mounted, target, offers, request))
            }
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
    offers: impl Fn(Operation) -> bool,
    request: Request,
) -> Response {
    let head = request.method() == Method::HEAD;
    let method = if head { &Method::GET } else { request.method() };
    let found = target.methods().iter().find(|(known, operation)| known == method && offers(*operation));
    let Some((_, operation)) = found else {
        return without_operation(target, offers, request.method());
    };
    let deadline = Instant::now() + state.limits().request;
    let answer = async {
        let incoming = Incoming::admit(state.clone(), mounted, *operation, request, deadline).await?;
        run(*operation, incoming).await
    };
    let mut response = match timeout_at(deadline, answer).await {
        Ok(Ok(response)) => response,
        Ok(Err(problem)) => problem.into_response(),
        Err(_) => Problem::new(Code::Timeout, "the request took too long").into_response(),
    };
    let admitted = !matches!(response.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    // Also where it failed: something may have happened all the same, or stand in its way that reads have to show.
    if admitted && !operation.is_read() {
        state.say_position(&mut response).await;
    }
    if head { reply::without_body(response) } else { response }
}

async fn run(operation: Operation, incoming: Incoming) -> Result<Response, Problem> {
    match operation {
        Operation::List => list::list(incoming).await,
        Operation::Get => get::get(incoming).await,
        Operation::Create => create::create(incoming).await,
        Operation::Update => update::update(incoming).await,
        Operation::Delete => delete::delete(incoming).await,
        Operation::Restore => restore::restore(incoming).await,
        Operation::RestoreMany => restore::restore_many(incoming).await,
        Operation::Purge => purge::purge(incoming).await,
        Operation::PurgeMany => purge::purge_many(incoming).await,
        Operation::BatchCreate => batch::create(incoming).await,
        Operation::BatchUpdate => batch::update(incoming).await,
        Operation::BatchDelete => batch::delete(incoming).await,
        Operation::History => audit_logs::history(incoming).await,
    }
}

/// The answer to a method that no operation has: what there is.
fn without_operation(target: Target, offers: impl Fn(Operation) -> bool, method: &Method) -> Response {
    let mut allowed = Vec::new();
    for (method, _) in target.methods().iter().filter(|(_, operation)| offers(*operation)) {
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
