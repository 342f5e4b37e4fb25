//! Handlers, one file an operation: not generic over the resource, so compiled once.

mod as_of;
mod audit_logs;
#[cfg(feature = "auth")]
pub(crate) mod auth;
mod authorization;
mod batch;
mod body_reader;
mod chunked;
mod create;
mod cursor_page;
mod delete;
mod export;
mod get;
mod idempotent;
pub(crate) mod import;
#[cfg(feature = "jobs")]
pub(crate) mod jobs;
mod last_move;
mod list;
pub(crate) mod page;
pub(crate) mod precondition;
mod purge;
mod read_again;
mod request;
pub(crate) mod response;
mod restore;
mod transition;
mod unknown_texts;
mod unread;
mod update;
pub(crate) mod upsert;
#[cfg(feature = "auth")]
pub(crate) mod users;

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::extract::{FromRef, Request};
use axum::handler::Handler;
use axum::response::{IntoResponse, Response};
use tokio::time::Instant;

pub(crate) use self::audit_logs::list as audit_logs;
pub(crate) use self::authorization::{authorize_action, authorize_role, require_access};
pub(crate) use self::body_reader::BodyReader;
pub(crate) use self::cursor_page::invalid_cursor;
pub(crate) use self::request::{Replacement, ResourceRequest};
use super::frame::{self, Frame};
use super::idempotency_key;
use super::routes::ResourcePath;
use super::state::ServiceState;
use crate::model::descriptor::{Descriptor, Operation, Operations, Transition};
use crate::model::problem::Problem;
use crate::query::parse;
use crate::store::mounted_resource::MountedResource;

/// The future of a handler.
type ResponseFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

/// The tower service of one path of a mounted resource. Responds to every method.
#[derive(Debug, Clone)]
pub(crate) struct PathService {
    pub(crate) state: ServiceState,
    pub(crate) mounted: Arc<MountedResource>,
    pub(crate) path: ResourcePath,
}

impl tower::Service<Request> for PathService {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let Self { state, mounted, path } = self.clone();
        let resource = self.mounted.resource();
        let response = dispatch(state, mounted, path, |operation| resource.offers(operation), request);
        Box::pin(async move { Ok(response.await) })
    }
}

/// The axum handler of one path of a resource, in a router that the program builds: its state has the service.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathHandler {
    pub(crate) resource: &'static Descriptor,
    pub(crate) path: ResourcePath,
    pub(crate) operations: Operations,
}

impl<S> Handler<((),), S> for PathHandler
where
    S: Clone + Send + Sync + 'static,
    ServiceState: FromRef<S>,
{
    type Future = ResponseFuture;

    fn call(self, request: Request, state: S) -> ResponseFuture {
        let Self { resource, path, operations } = self;
        let state = ServiceState::from_ref(&state);
        match state.mounted_resource(resource).cloned() {
            Some(mounted) => {
                let offers = move |operation| operations.contains(operation) && resource.enables(operation);
                Box::pin(dispatch(state, mounted, path, offers, request))
            }
            None => Box::pin(async move {
                Problem::internal(format!("{} is not a resource of this state's service", resource.name))
                    .into_response()
            }),
        }
    }
}

/// Answers a request by the operation of its method.
async fn dispatch(
    state: ServiceState,
    mounted: Arc<MountedResource>,
    path: ResourcePath,
    offers: impl Fn(Operation) -> bool,
    request: Request,
) -> Response {
    let method = frame::method(&request);
    let offered = path.methods().iter().filter(|(_, operation)| offers(*operation));
    let Some((_, operation)) = offered.clone().find(|(known, _)| known == method) else {
        return frame::not_allowed(offered.map(|(method, _)| method), request.method());
    };
    let frame = Frame::new(operation.is_read());
    // An import takes as long as its file: each part of it has the time of a request.
    let frame = if path == ResourcePath::Import { frame.untimed() } else { frame };
    let respond = |request, deadline| run(state.clone(), mounted, path, *operation, request, deadline);
    frame.answer(&state, request, respond).await
}

/// Runs an operation, or what is in its place.
async fn run(
    state: ServiceState,
    mounted: Arc<MountedResource>,
    path: ResourcePath,
    operation: Operation,
    request: Request,
    deadline: Instant,
) -> Result<Response, Problem> {
    let route = transition_of(mounted.resource(), path);
    let transition = route.map(|(_, transition)| transition);
    let request =
        ResourceRequest::authorize(state.clone(), mounted.clone(), operation, transition, request, deadline).await?;
    if path == ResourcePath::Export {
        return export::export(request).await;
    }
    if path == ResourcePath::Import {
        let options = mounted.resource().idempotency_of(operation);
        let key = options.map(|options| idempotency_key::of(request.headers(), options)).transpose()?.flatten();
        return match (options, key) {
            (Some(options), Some(key)) => {
                import::require_whole(&request)?;
                idempotent::run(request, Call::Import, path, &key, options).await
            }
            _ => import::import(request).await,
        };
    }
    if let Some(legal) = parameters(operation, transition.is_some(), &request) {
        parse::check_names(request.parts.uri.query(), legal)?;
    }
    let call = route.map_or(Call::Operation(operation), Call::Transition);
    if let Some(options) = mounted.resource().idempotency_of(operation)
        && let Some(key) = idempotency_key::of(request.headers(), options)?
    {
        return idempotent::run(request, call, path, &key, options).await;
    }
    match state.replacement(mounted.resource(), operation).filter(|_| route.is_none()) {
        Some(replacement) => replacement.respond(operation, request).await,
        None => call.run(request).await,
    }
}

/// The parameters of an operation; none, where it reads all of its query string itself, or ignores unknown ones.
fn parameters(operation: Operation, is_transition: bool, request: &ResourceRequest) -> Option<&'static [&'static str]> {
    let is_replaced = request.state.replacement(request.resource(), operation).is_some() && !is_transition;
    if is_replaced || operation.is_read() && request.prefer().lenient {
        return None;
    }
    match operation {
        _ if is_transition => Some(&[]),
        Operation::List | Operation::History | Operation::RestoreMany | Operation::PurgeMany => None,
        Operation::Get => Some(&["include_deleted", "as_of", "expand"]),
        Operation::Create => Some(&["on_conflict", "conflict", "expand"]),
        Operation::Update => Some(&["allow_missing", "expand"]),
        Operation::Delete
        | Operation::Restore
        | Operation::Purge
        | Operation::BatchCreate
        | Operation::BatchUpdate
        | Operation::BatchDelete => Some(&[]),
    }
}

/// What a request asks for.
#[derive(Debug, Clone, Copy)]
enum Call {
    Operation(Operation),
    /// A transition, with the column of its state.
    Transition((usize, &'static Transition)),
    /// Records from a file.
    Import,
}

impl Call {
    /// Whether it changes one record, and none that refers to it.
    const fn is_of_one(self) -> bool {
        matches!(self, Self::Transition(_) | Self::Operation(Operation::Create | Operation::Update))
    }

    /// Whether its answer has several records.
    const fn is_batch(self) -> bool {
        matches!(self, Self::Operation(Operation::BatchCreate | Operation::BatchUpdate | Operation::BatchDelete))
    }

    async fn run(self, request: ResourceRequest) -> Result<Response, Problem> {
        match self {
            Self::Operation(operation) => run_operation(operation, request).await,
            Self::Transition(route) => transition::run(request, route).await,
            Self::Import => import::import(request).await,
        }
    }
}

/// The transition of a path, and the column of its state.
fn transition_of(resource: &Descriptor, path: ResourcePath) -> Option<(usize, &'static Transition)> {
    match path {
        ResourcePath::Transition(path) => resource.transitions().nth(path.index),
        _ => None,
    }
}

/// Runs a generated operation.
pub(crate) async fn run_operation(operation: Operation, request: ResourceRequest) -> Result<Response, Problem> {
    match operation {
        Operation::List => list::list(request).await,
        Operation::Get => get::get(request).await,
        Operation::Create => upsert::create(request).await,
        Operation::Update => upsert::update(request).await,
        Operation::Delete => delete::delete(request).await,
        Operation::Restore => restore::restore(request).await,
        Operation::RestoreMany => restore::restore_many(request).await,
        Operation::Purge => purge::purge(request).await,
        Operation::PurgeMany => purge::purge_many(request).await,
        Operation::BatchCreate => batch::create(request).await,
        Operation::BatchUpdate => batch::update(request).await,
        Operation::BatchDelete => batch::delete(request).await,
        Operation::History => audit_logs::history(request).await,
    }
}
