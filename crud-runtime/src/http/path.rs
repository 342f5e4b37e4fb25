//! [`MountedPath`]: a path of a router, with all its routes.

use std::pin::Pin;
use std::sync::Arc;

use axum::extract::{FromRef, Request};
use axum::handler::Handler;
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use tokio::time::Instant;

use super::deprecation;
use super::frame::{self, Frame};
use super::handler::authorization::Exchange;
use super::handler::rate_limit::RequestQuota;
use super::handler::{Replacement, ResourceRequest, idempotent};
use super::layer::middleware;
use super::operation::route::Route;
use super::param::header::idempotency_key;
use super::param::query_string;
use super::routing::service::Endpoint;
use super::state::ServiceState;
use crate::model::access::Enforcement;
use crate::model::descriptor::{Deprecation, Descriptor};
use crate::model::principal::Principal;
use crate::model::problem::Problem;
use crate::store::mounted::rate_limiter::RateLimiter;
use crate::store::mounted::resource::MountedResource;

/// A path of a router, with all its routes.
pub(crate) struct MountedPath {
    pub(crate) state: ServiceState,
    pub(crate) routes: Vec<PathRoute>,
}

/// A route of a path.
pub(crate) enum PathRoute {
    /// A generated operation of a resource.
    Generated(Arc<MountedResource>, Route),
    /// A route of the program.
    Own(Endpoint),
}

impl MountedPath {
    /// Answers a request by the route of its method.
    pub(crate) async fn answer(self: Arc<Self>, mut request: Request) -> Response {
        let Self { state, routes } = &*self;
        let method = frame::method(&request);
        let Some(route) = routes.iter().find(|route| route.method() == method) else {
            return frame::not_allowed(routes.iter().map(PathRoute::method), request.method());
        };
        let quota = RequestQuota::of(&mut request, route.rate_limiters(state).next().is_some());
        let respond = |request, deadline| route.respond(state, request, deadline);
        let mut response = route.frame().answer(state, request, respond).await;
        if let Some(quota) = quota {
            quota.report(&mut response);
        }
        if let Some(deprecation) = route.deprecation() {
            deprecation::report(&deprecation, &mut response);
        }
        response
    }
}

impl PathRoute {
    pub(crate) fn method(&self) -> &Method {
        match self {
            Self::Generated(_, route) => &route.method,
            Self::Own(endpoint) => endpoint.method(),
        }
    }

    /// The resource that it is of, or below whose prefix it is.
    pub(crate) fn resource(&self) -> Option<&'static Descriptor> {
        match self {
            Self::Generated(mounted, _) => Some(mounted.resource()),
            Self::Own(endpoint) => endpoint.mounted.resource,
        }
    }

    /// The limits of its callers' requests.
    pub(crate) fn rate_limiters<'r>(&'r self, state: &'r ServiceState) -> impl Iterator<Item = &'r RateLimiter> {
        let (own, mounted) = match self {
            Self::Generated(mounted, _) => (None, Some(mounted)),
            Self::Own(endpoint) => (endpoint.rate_limiter(), endpoint.mounted_resource(state)),
        };
        own.into_iter().chain(mounted.and_then(|mounted| mounted.rate_limiter()))
    }

    /// Whether its answers are the same for every sender.
    pub(crate) fn is_open(&self, enforcement: Enforcement) -> bool {
        match self {
            Self::Generated(mounted, route) => route.is_open(mounted.resource(), enforcement),
            Self::Own(endpoint) => endpoint.mounted.access.is_public(),
        }
    }

    /// Whether a principal has the access that it needs; `None` is a request without a token.
    pub(crate) fn admits(&self, enforcement: Enforcement, principal: Option<&Principal>) -> bool {
        match self {
            Self::Generated(mounted, route) => route.admits(mounted.resource(), enforcement, principal),
            Self::Own(endpoint) => endpoint.mounted.admits(enforcement, principal),
        }
    }

    fn frame(&self) -> Frame {
        match self {
            Self::Generated(_, route) => route.frame,
            Self::Own(endpoint) => endpoint.frame(),
        }
    }

    fn deprecation(&self) -> Option<Deprecation> {
        match self {
            Self::Generated(mounted, _) => mounted.resource().deprecation,
            Self::Own(endpoint) => endpoint.mounted.deprecation(),
        }
    }

    async fn respond(&self, state: &ServiceState, request: Request, deadline: Instant) -> Result<Response, Problem> {
        let exchange = Exchange::admit(state, self, request, deadline).await?;
        match self {
            Self::Generated(mounted, route) => run(mounted, route, exchange).await,
            // Boxed: the others need no place for it.
            Self::Own(endpoint) => Box::pin(endpoint.respond(exchange)).await,
        }
    }
}

/// Runs a route's operation, or what is in its place.
///
/// # Errors
/// `validation_failed` for parameters that it does not have; errors of the operation.
async fn run(mounted: &Arc<MountedResource>, route: &Route, exchange: Exchange) -> Result<Response, Problem> {
    let (resource, operation) = (mounted.resource(), route.operation);
    let replacement = exchange.state.replacement(resource, operation).filter(|_| route.is_replaced);
    let request = ResourceRequest::new(exchange, mounted.clone(), route).await?;
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
    let (resource, operation) = (request.resource(), route.operation);
    if let Some(options) = resource.idempotency_of(operation) {
        if let Some(key) = idempotency_key::of(request.headers(), options)? {
            // Boxed: other requests need no place for it.
            return Box::pin(idempotent::run(request, route, &key, options)).await;
        }
    } else if !operation.is_read() && replacement.is_none() {
        idempotency_key::refuse(request.headers(), resource)?;
    }
    match replacement {
        Some(replacement) => replacement.respond(operation, request).await,
        None => (route.handler)(request).await,
    }
}

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
        let Some(mounted) = state.mounted_resource(resource) else {
            let detail = format!("{} is not a resource of this state's service", resource.name);
            return Box::pin(std::future::ready(Problem::internal(detail).into_response()));
        };
        let routes = routes.iter().map(|route| PathRoute::Generated(mounted.clone(), route.clone())).collect();
        let path = Arc::new(MountedPath { state: state.clone(), routes });
        Box::pin(async move {
            // With its id, log line and headers, as in the service's own router.
            let respond = |request| path.answer(request);
            let mut response = middleware::trace_request(&state, None, request, respond).await;
            state.parts().principals.keep_private(&mut response);
            response
        })
    }
}
