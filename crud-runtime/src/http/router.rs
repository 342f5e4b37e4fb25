//! The routes of a service.

use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRef, Request};
use axum::http::Method;
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, any};

use super::handler::{DetachedEndpoint, Endpoint};
use super::middleware;
use super::routes::ResourcePath;
use super::service_routes;
use super::service_routes::ServiceRoutes;
use super::state::State;
use crate::model::descriptor::{Descriptor, Operation, Operations};
use crate::model::problem::{Code, Problem};
use crate::store::mounted_resource::MountedResource;

/// Every route of a service, ready to be served or nested.
pub(crate) fn router(state: &State, service_routes: &ServiceRoutes) -> Router {
    let mut router = service_routes::add(Router::new(), service_routes);
    for mounted in state.mounted() {
        router = add_resource(router, state, mounted);
    }
    router.fallback(route_not_found).layer(from_fn(middleware::observe))
}

/// The routes of one resource of a service.
fn add_resource(mut router: Router, state: &State, mounted: &Arc<MountedResource>) -> Router {
    let prefix = &mounted.options().prefix;
    for target in ResourcePath::of_resource(mounted.resource()) {
        let endpoint = Endpoint { state: state.clone(), mounted: mounted.clone(), target };
        router = router.route_service(&format!("{prefix}{}", target.path()), endpoint);
    }
    router
}

/// One operation of a resource, for a router of the program's own.
pub(crate) fn route<S>(resource: &'static Descriptor, operation: Operation) -> MethodRouter<S>
where
    S: Clone + Send + Sync + 'static,
    State: FromRef<S>,
{
    let target = ResourcePath::of(operation);
    let endpoint = DetachedEndpoint { resource, target, operations: Operations::NONE.with(operation) };
    let methods = target.methods().iter().filter(|(_, other)| *other == operation);
    methods
        .filter_map(|(method, _)| MethodFilter::try_from(method.clone()).ok())
        .fold(MethodRouter::new(), |router, filter| router.on(filter, endpoint))
}

/// All operations of a resource, for a router of the program's own.
pub(crate) fn resource_router<S>(resource: &'static Descriptor, prefix: &str) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    State: FromRef<S>,
{
    ResourcePath::of_resource(resource).fold(Router::new(), |router, target| {
        let endpoint = DetachedEndpoint { resource, target, operations: resource.operations };
        router.route(&format!("{prefix}{}", target.path()), any(endpoint))
    })
}

async fn route_not_found(request: Request) -> Response {
    let method = request.method();
    let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
    // The path is the client's own words, but a log or a page may show them: escaped.
    let path = request.uri().path().escape_debug();
    Problem::new(Code::RouteNotFound, format!("there is no route {method} {path}")).into_response()
}
