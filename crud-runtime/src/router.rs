//! The routes of a service.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::middleware;
use axum::response::{IntoResponse, Response};

use crate::error::{Code, Problem};
use crate::handler::{Endpoint, Target};
use crate::mounted::Mounted;
use crate::observe;
use crate::service_routes::{self, ServiceRoutes};
use crate::state::State;

/// Every route of a service, ready to be served or nested.
pub(crate) fn router(state: &State, service_routes: ServiceRoutes) -> Router {
    let mut router = service_routes::add(Router::new(), service_routes);
    for mounted in state.mounted() {
        router = add_resource(router, state, mounted, &mounted.options().prefix);
    }
    router.fallback(route_not_found).layer(middleware::from_fn(observe::observe))
}

/// The routes of one resource below a prefix.
pub(crate) fn add_resource<S>(router: Router<S>, state: &State, mounted: &Arc<Mounted>, prefix: &str) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    let endpoint = |target| Endpoint { state: state.clone(), mounted: mounted.clone(), target };
    router
        .route_service(prefix, endpoint(Target::Collection))
        .route_service(&format!("{prefix}/{{id}}"), endpoint(Target::Record))
}

async fn route_not_found(request: Request) -> Response {
    let method = request.method();
    let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
    // The path is the client's own words, but a log or a page may show them: escaped.
    let path = request.uri().path().escape_debug();
    Problem::new(Code::RouteNotFound, format!("there is no route {method} {path}")).into_response()
}
