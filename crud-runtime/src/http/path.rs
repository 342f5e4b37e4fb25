//! [`MountedPath`]: a path of a router, with all its routes.

use std::pin::Pin;
use std::sync::Arc;

use axum::extract::{FromRef, Request};
use axum::handler::Handler;
use axum::response::{IntoResponse, Response};
use tokio::time::Instant;

use super::handler::ResourceRequest;
use super::handler::operation_override::{OperationOverride, OperationOverrides};
use super::handler::rate_limit::RequestQuota;
use super::layer::middleware;
use super::operation::route::OperationRoute;
use super::param::header::idempotency_key;
use super::param::query_string;
use super::path_route::PathRoute;
use super::request_policy;
use super::state::ServiceState;
use super::{accepted_types, admission, deprecation, idempotency};
use crate::model::descriptor::Descriptor;
use crate::model::problem::Problem;

/// A path of a router, with all its routes.
pub(crate) struct MountedPath {
    pub(crate) state: ServiceState,
    pub(crate) routes: Vec<PathRoute>,
}

impl MountedPath {
    /// Answers a request by the route of its method.
    pub(crate) async fn answer(self: Arc<Self>, mut request: Request) -> Response {
        let Self { state, routes } = &*self;
        let method = request_policy::method(&request);
        let Some(route) = routes.iter().find(|route| route.method() == method) else {
            let mut response = request_policy::not_allowed(routes.iter().map(PathRoute::method), request.method());
            accepted_types::report(routes, &mut response);
            return response;
        };
        let quota = RequestQuota::of(&mut request, route.rate_limiters(state).next().is_some());
        let respond = |request, deadline| respond(state, route, request, deadline);
        let mut response = route.policy().answer(state, request, respond).await;
        if let Some(quota) = quota {
            quota.report(&mut response);
        }
        if let Some(deprecation) = route.deprecation() {
            deprecation::report(&deprecation, &mut response);
        }
        response
    }
}

/// Answers a request by a route, if the request may use the route.
async fn respond(
    state: &ServiceState,
    route: &PathRoute,
    request: Request,
    deadline: Instant,
) -> Result<Response, Problem> {
    let authorized = admission::admit(state, route, request, deadline).await?;
    match route {
        PathRoute::Generated(mounted, route) => {
            let mut request = ResourceRequest::new(authorized, mounted.clone(), route.operation).await?;
            (request.transition, request.links) = (route.transition, route.links);
            run(request, route, carry_out).await
        }
        // Boxed: generated operations do not reserve memory for this future.
        PathRoute::Own(endpoint) => Box::pin(endpoint.respond(authorized)).await,
    }
}

/// Carries out a route's operation, or the program's handler in its place.
///
/// # Errors
/// `validation_failed` for parameters that the operation does not have; errors of the operation.
pub(crate) async fn run<'r, F: Future<Output = Result<Response, Problem>>>(
    request: Box<ResourceRequest>,
    route: &'r OperationRoute,
    carry_out: impl FnOnce(Box<ResourceRequest>, &'r OperationRoute, Option<Arc<dyn OperationOverride>>) -> F,
) -> Result<Response, Problem> {
    let (resource, operation) = (request.resource(), route.operation);
    let replacement = OperationOverrides::find(&request.state, resource, operation).filter(|_| route.is_replaced);
    let is_lenient = operation.is_read() && request.prefer().lenient;
    if let Some(legal) = route.parameters.filter(|_| replacement.is_none() && !is_lenient) {
        query_string::check_names(request.parts.uri.query(), legal)?;
    }
    let Some(reads) = request.reads().cloned() else { return carry_out(request, route, replacement).await };
    let response = Box::pin(carry_out(request, route, replacement)).await?;
    // Writes the audit entries of reads in the operation's transaction, which has ended, and of records that changes
    // returned.
    reads.end().await.map_err(|error| Problem::from_adapter(resource, error))?;
    Ok(response)
}

/// Carries out a checked request; one with an `Idempotency-Key`, only once.
async fn carry_out(
    request: Box<ResourceRequest>,
    route: &OperationRoute,
    replacement: Option<Arc<dyn OperationOverride>>,
) -> Result<Response, Problem> {
    let (resource, operation) = (request.resource(), route.operation);
    if let Some(options) = resource.idempotency_of(operation) {
        if let Some(key) = idempotency_key::of(request.headers(), options)? {
            // Boxed: other requests do not reserve memory for this future.
            return Box::pin(idempotency::run(request, route, &key, options)).await;
        }
    } else if !operation.is_read() && replacement.is_none() {
        idempotency_key::refuse(request.headers(), resource)?;
    }
    carry_out_always(request, route, replacement).await
}

/// Carries out a checked request, whatever its idempotency key.
pub(crate) async fn carry_out_always(
    request: Box<ResourceRequest>,
    route: &OperationRoute,
    replacement: Option<Arc<dyn OperationOverride>>,
) -> Result<Response, Problem> {
    match replacement {
        Some(replacement) => replacement.respond(route.operation, request).await,
        None => (route.handler)(request).await,
    }
}

/// The axum handler of one path of a resource, in a router that the program builds. The router's state has the service.
#[derive(Debug, Clone)]
pub(crate) struct PathHandler {
    pub(crate) resource: &'static Descriptor,
    pub(crate) routes: Arc<[OperationRoute]>,
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
            // Adds the request id, the log line and the headers, as the service's own router does.
            let respond = |request| path.answer(request);
            let mut response = middleware::trace_request(&state, None, request, respond).await;
            state.parts().principals.keep_private(&mut response);
            response
        })
    }
}
