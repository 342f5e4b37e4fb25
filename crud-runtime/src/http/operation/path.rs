//! A path of a resource: the routes of its methods.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::{FromRef, Request};
use axum::handler::Handler;
use axum::response::{IntoResponse, Response};
use tokio::time::Instant;

use super::route::Route;
use crate::http::deprecation;
use crate::http::frame;
use crate::http::handler::rate_limit::RequestQuota;
use crate::http::handler::{Replacement, ResourceRequest, idempotent};
use crate::http::layer::middleware;
use crate::http::param::header::idempotency_key;
use crate::http::param::query_string;
use crate::http::routing::service::Endpoint;
use crate::http::state::ServiceState;
use crate::model::descriptor::Descriptor;
use crate::model::problem::Problem;
use crate::store::mounted::resource::MountedResource;

/// The axum handler of one path of a resource, in a router that the program builds: its state has the service.
#[derive(Debug, Clone)]
pub(crate) struct PathHandler {
    pub(crate) resource: &'static Descriptor,
    pub(crate) routes: Arc<[Route]>,
}

impl<S> Handler<((),), S> for PathHandler
where
    S: Clone + Send + Sync + 'static,
    ServiceState: FromRef<S>,
{
    type Future = Pin<Box<dyn Future<Output = Response> + Send>>;

    fn call(self, request: Request, state: S) -> Self::Future {
        let Self { resource, routes } = self;
        let state = ServiceState::from_ref(&state);
        match state.mounted_resource(resource).cloned() {
            Some(mounted) => Box::pin(answer(state, mounted, routes, request)),
            None => Box::pin(async move {
                Problem::internal(format!("{} is not a resource of this state's service", resource.name))
                    .into_response()
            }),
        }
    }
}

/// A path of a mounted resource.
pub(crate) struct MountedPath {
    pub(crate) state: ServiceState,
    pub(crate) mounted: Arc<MountedResource>,
    pub(crate) routes: Arc<[Route]>,
    /// The program's own routes of the path.
    pub(crate) own: Arc<[Endpoint]>,
}

/// Answers a request in a router of the program: with its id, log line and headers, as in the service's own router.
async fn answer(
    state: ServiceState,
    mounted: Arc<MountedResource>,
    routes: Arc<[Route]>,
    request: Request,
) -> Response {
    let path = MountedPath { state: state.clone(), mounted, routes, own: Arc::default() };
    let respond = move |request| dispatch(Arc::new(path), request);
    let mut response = middleware::trace_request(&state, None, request, respond).await;
    state.parts().principals.keep_private(&mut response);
    response
}

/// Answers a request by the route of its method: a generated one, or one of the program.
pub(crate) async fn dispatch(path: Arc<MountedPath>, mut request: Request) -> Response {
    let MountedPath { state, mounted, routes, own } = &*path;
    let quota = RequestQuota::of(&mut request, mounted.rate_limiter().is_some());
    let deprecation = mounted.resource().deprecation;
    let method = frame::method(&request);
    let Some(route) = routes.iter().find(|route| route.method == *method) else {
        if let Some(endpoint) = own.iter().find(|endpoint| endpoint.method() == method) {
            // Boxed: the others need no place for it.
            return Box::pin(endpoint.answer(state, request)).await;
        }
        let methods = routes.iter().map(|route| &route.method).chain(own.iter().map(Endpoint::method));
        return frame::not_allowed(methods, request.method());
    };
    let respond = |request, deadline| run(&path, route, request, deadline);
    let mut response = route.frame.answer(state, request, respond).await;
    if let Some(quota) = quota {
        quota.report(&mut response);
    }
    if let Some(deprecation) = deprecation {
        deprecation::report(&deprecation, &mut response);
    }
    response
}

/// Runs a route's operation, or what is in its place.
async fn run(path: &MountedPath, route: &Route, request: Request, deadline: Instant) -> Result<Response, Problem> {
    let (resource, operation) = (path.mounted.resource(), route.operation);
    let replacement = path.state.replacement(resource, operation).filter(|_| route.is_replaced);
    let (state, mounted) = (path.state.clone(), path.mounted.clone());
    let request = ResourceRequest::authorize(state, mounted, route, request, deadline).await?;
    let is_lenient = operation.is_read() && request.prefer().lenient;
    if let Some(legal) = route.parameters.filter(|_| replacement.is_none() && !is_lenient) {
        query_string::check_names(request.parts.uri.query(), legal)?;
    }
    let Some(reads) = request.reads().cloned() else { return carry_out(request, route, replacement).await };
    let response = Box::pin(carry_out(request, route, replacement)).await?;
    // Reads in its transaction, which has ended, and records that its changes returned as they were.
    reads.end().await.map_err(|error| Problem::from_adapter(resource, error))?;
    Ok(response)
}

/// Carries out a request that is checked: once, where it has a key.
async fn carry_out(
    request: Box<ResourceRequest>,
    route: &Route,
    replacement: Option<Arc<dyn Replacement>>,
) -> Result<Response, Problem> {
    let operation = route.operation;
    if let Some(options) = request.resource().idempotency_of(operation)
        && let Some(key) = idempotency_key::of(request.headers(), options)?
    {
        // Boxed: other requests need no place for it.
        return Box::pin(idempotent::run(request, route, &key, options)).await;
    }
    match replacement {
        Some(replacement) => replacement.respond(operation, request).await,
        None => (route.handler)(request).await,
    }
}
