//! The handlers: not generic over the resource, compiled once.

mod admission;
mod as_of;
mod audit_logs;
#[cfg(feature = "auth")]
pub(crate) mod auth;
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

use axum::extract::{FromRef, Request};
use axum::handler::Handler;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use tokio::time::{Instant, timeout_at};

pub(crate) use self::audit_logs::list as audit_logs;
use self::request::Incoming;
#[cfg(feature = "auth")]
pub(crate) use self::{payload::Payload, reply::without_body};
use super::routes::{ResourcePath, no_operation};
use super::state::State;
use crate::model::descriptor::{Descriptor, Operation, Operations};
use crate::model::problem::{Code, Problem};
use crate::store::mounted_resource::MountedResource;

/// A handler's future.
type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A path of a service's own router: answers every method.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) state: State,
    pub(crate) mounted: Arc<MountedResource>,
    pub(crate) target: ResourcePath,
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
    pub(crate) target: ResourcePath,
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
    mounted: Arc<MountedResource>,
    target: ResourcePath,
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
fn without_operation(target: ResourcePath, offers: impl Fn(Operation) -> bool, method: &Method) -> Response {
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
