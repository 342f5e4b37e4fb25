//! Routers: of a service, of one resource, of one operation; [`ResourceRoutes`].

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRef, Request};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter};
use futures_util::FutureExt;
use tower::service_fn;

use super::head::Head;
use super::layer::challenge::Challenge;
#[cfg(feature = "compression")]
use super::layer::compression;
use super::layer::cors::Cors;
#[cfg(feature = "metrics")]
use super::layer::metrics::Metrics;
use super::layer::{middleware, plain_errors};
use super::operation::table;
use super::path::{MountedPath, PathHandler};
use super::path_route::PathRoute;
use super::routing::mounted::MountedRoute;
use super::routing::service::Endpoint;
use super::service_routes;
use super::service_routes::ServiceRoutes;
use super::state::ServiceState;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::{Code, Problem};
use crate::model::resource::Resource;
use crate::storage::error::{Error, Result};
use crate::store::mounted::resource::MountedResource;

/// The program's own routes.
pub(crate) struct OwnRoutes {
    pub(crate) routes: Vec<MountedRoute>,
    /// The routers that the program merges.
    pub(crate) routers: Vec<Router>,
    pub(crate) layers: Vec<PutAround>,
    pub(crate) resource_layers: Vec<ResourceLayer>,
}

/// Layers that the service puts around every route.
pub(crate) struct Around {
    pub(crate) span_hook: Option<middleware::SpanHook>,
    pub(crate) cors: Option<Cors>,
    /// The authentication challenge in place of the one for tokens.
    pub(crate) challenge: Option<Challenge>,
    /// Whether the service answers paths that it does not have.
    pub(crate) has_fallback: bool,
    #[cfg(feature = "metrics")]
    pub(crate) metrics: Option<Metrics>,
    /// The path of logins.
    #[cfg(feature = "metrics")]
    pub(crate) logins: Option<Arc<str>>,
    #[cfg(feature = "compression")]
    pub(crate) compression: bool,
}

/// Puts a layer around the routes of a router.
pub(crate) type PutAround = Box<dyn FnOnce(Router) -> Router + Send + Sync>;

/// A layer around the routes of a resource.
pub(crate) type ResourceLayer = (&'static Descriptor, PutAround);

/// Every route of a service, ready to be served or nested.
///
/// # Errors
/// [`Error::Setup`] for a merged router with a route that exists already.
pub(crate) fn service_router(
    state: &ServiceState,
    service_routes: &ServiceRoutes,
    own: OwnRoutes,
    around: Around,
) -> Result<Router> {
    let methods: Vec<Method> = own.routes.iter().map(|route| route.route.options.method.clone()).collect();
    let mut router = service_routes::add(Router::new(), service_routes);
    let mut own_routes: Vec<_> = own.routes.into_iter().filter(|route| route.replaces.is_none()).collect();
    let mut layers = own.resource_layers;
    for mounted in state.mounted() {
        let is_own = |resource: &'static Descriptor| std::ptr::eq(resource, mounted.resource());
        let (around, others) = layers.into_iter().partition::<Vec<_>, _>(|(resource, _)| is_own(resource));
        layers = others;
        let is_below = |route: &mut MountedRoute| {
            route.resource.is_some_and(is_own) && route.path.starts_with(&*mounted.options().prefix)
        };
        let below = own_routes.extract_if(.., is_below).collect();
        router = add_redirects(router, mounted);
        if around.is_empty() {
            router = add_resource(router, state, mounted, below);
            continue;
        }
        let routes = add_resource(Router::new(), state, mounted, below);
        router = router.merge(around.into_iter().fold(routes, |routes, (_, put_around)| put_around(routes)));
    }
    router = add_own_routes(router, state, own_routes);
    for merged in own.routers {
        let merged = merged.layer(state.principals()).layer(map_response(plain_errors::as_problem));
        router = merge(router, merged)?;
    }
    if around.has_fallback {
        router = router.fallback(route_not_found);
    }
    for layer in own.layers {
        router = layer(router);
    }
    #[cfg(feature = "metrics")]
    let (metrics, logins) = (around.metrics, around.logins);
    #[cfg(feature = "compression")]
    if around.compression {
        router = compression::around(router);
    }
    let Around { cors, span_hook, .. } = around;
    if cors.is_some() {
        // Inside the CORS layer, so that the response to a panic has CORS headers too.
        router = router.layer(from_fn(middleware::catch_panic));
    }
    if let Some(challenge) = around.challenge {
        router = router.layer(map_response(move |response: Response| std::future::ready(challenge.apply(response))));
    }
    if state.parts().principals.is_private() {
        let state = state.clone();
        router = router.layer(map_response(move |mut response: Response| {
            state.parts().principals.keep_private(&mut response);
            std::future::ready(response)
        }));
    }
    if let Some(cors) = cors {
        router = router.layer(cors.layer(state, &methods));
    }
    #[cfg(feature = "metrics")]
    if let Some(metrics) = metrics {
        router = router.layer(from_fn(move |request, next| metrics.clone().observe(logins.clone(), request, next)));
    }
    let traced = Arc::new((state.clone(), span_hook));
    let trace = move |request, next: Next| {
        let traced = traced.clone();
        async move {
            let (state, hook) = &*traced;
            middleware::trace_request(state, hook.as_ref(), request, move |request| next.run(request)).await
        }
    };
    Ok(router.layer(from_fn(trace)))
}

/// Merges a router of the program. axum reports a route that both have only by a panic.
fn merge(router: Router, merged: Router) -> Result<Router> {
    let merged = catch_unwind(AssertUnwindSafe(|| router.merge(merged)));
    merged.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
        Error::Setup(format!(
            "a merged router does not fit: {}",
            text.unwrap_or("it has a route that is there already")
        ))
    })
}

/// Adds own routes; the routes of one path are one service.
fn add_own_routes(mut router: Router, state: &ServiceState, mut routes: Vec<MountedRoute>) -> Router {
    while let Some(first) = routes.first() {
        let path = first.path.clone();
        let routes = take_path(&mut routes, state, &path).collect();
        router = add_path(router, state, &path, routes);
    }
    router
}

/// Adds the routes of one mounted resource, and the program's own below its prefix.
fn add_resource(
    mut router: Router,
    state: &ServiceState,
    mounted: &Arc<MountedResource>,
    mut own_routes: Vec<MountedRoute>,
) -> Router {
    let prefix = &mounted.options().prefix;
    for (path, routes) in table::paths_of(mounted.resource()) {
        let path = format!("{prefix}{path}");
        let generated = routes.into_iter().map(|route| PathRoute::Generated(mounted.clone(), route));
        let routes = generated.chain(take_path(&mut own_routes, state, &path)).collect();
        router = add_path(router, state, &path, routes);
    }
    add_own_routes(router, state, own_routes)
}

/// Adds the redirects from the prefixes that a resource had.
fn add_redirects(mut router: Router, mounted: &MountedResource) -> Router {
    let new: Arc<str> = mounted.options().prefix.as_str().into();
    for old in mounted.resource().moved_from {
        for path in [(*old).to_owned(), format!("{old}/{{*rest}}")] {
            let new = new.clone();
            router = route(router, &path, move |request| std::future::ready(redirect(old, &new, &request)));
        }
    }
    router
}

/// The redirect of a request below an old prefix to the same path below the new one, with the same method, body and query.
fn redirect(old: &str, new: &Arc<str>, request: &Request) -> Response {
    let uri = request.uri();
    let rest = uri.path().strip_prefix(old).unwrap_or_default();
    let query = uri.query().map_or_else(String::new, |query| format!("?{query}"));
    let location = format!("{}{new}{rest}{query}", Head::from(request).mount());
    let mut response = StatusCode::PERMANENT_REDIRECT.into_response();
    if let Ok(location) = HeaderValue::try_from(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// Takes the program's routes of a path.
fn take_path(routes: &mut Vec<MountedRoute>, state: &ServiceState, path: &str) -> impl Iterator<Item = PathRoute> {
    let of_path = routes.extract_if(.., move |route| route.path == path);
    of_path.map(|route| PathRoute::Own(Endpoint::new(route, state)))
}

/// Adds a path with its routes.
fn add_path(router: Router, state: &ServiceState, path: &str, routes: Vec<PathRoute>) -> Router {
    // Shared: axum clones the service of a path for each request.
    let answered = Arc::new(MountedPath { state: state.clone(), routes });
    route(router, path, move |request| answered.clone().answer(request))
}

/// Adds a path at which a function answers requests of every method.
fn route<F>(router: Router, path: &str, answer: impl Fn(Request) -> F + Clone + Send + Sync + 'static) -> Router
where
    F: Future<Output = Response> + Send + 'static,
{
    let service = service_fn(move |request| answer(request).map(Ok::<_, Infallible>));
    router.route_service(path, service)
}

/// The routes of every [`Resource`], for programs that build their own router.
pub trait ResourceRoutes: Resource {
    /// One operation as a route. The path of an operation on one record must end with the key's parameter.
    ///
    /// ```
    /// use crud_runtime::axum::Router;
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Resource)]
    /// # struct Book { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>().migrate().await?;
    /// let app: Router = Router::new()
    ///     .route("/shelf", Book::route(Operation::List))
    ///     .route("/shelf/{id}", Book::route(Operation::Get))
    ///     .with_state(service.state()?);
    /// # Ok(()) }
    /// ```
    fn route<S>(operation: Operation) -> MethodRouter<S>
    where
        S: Clone + Send + Sync + 'static,
        ServiceState: FromRef<S>,
    {
        operation_route(Self::DESCRIPTOR, operation)
    }

    /// A router with the routes of the resource, and the program's own below its prefix, for a router that the program builds.
    ///
    /// It has the request ids, log lines and security headers of [`Service::into_router`](crate::Service::into_router),
    /// but not the service's paths, layers, CORS and error format. The prefix is that of the resource in the service:
    /// [`Service::resource_with`](crate::Service::resource_with) changes the prefix in routes, `Location` and the
    /// document ([`Service::openapi_json`](crate::Service::openapi_json)) alike. The router is merged, or
    /// nested below a path of the program.
    ///
    /// ```
    /// use crud_runtime::axum::{Json, Router, routing::get};
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Resource)]
    /// # struct Book { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?;
    /// let service = service.resource_with::<Book>(|o| o.prefix("/shelf")).migrate().await?;
    /// let document = service.openapi_json()?;
    /// let app: Router = Router::new()
    ///     .merge(Book::router(&service.state()?)?)
    ///     .route("/api.json", get(async move || Json(document)));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Setup`] when the resource is not one of the service.
    fn router<S>(state: &ServiceState) -> Result<Router<S>>
    where
        S: Clone + Send + Sync + 'static,
    {
        Ok(resource_router(state, Self::DESCRIPTOR)?.with_state(()))
    }
}

impl<R: Resource> ResourceRoutes for R {}

/// One operation of a resource, for a router that the program builds.
fn operation_route<S>(resource: &'static Descriptor, operation: Operation) -> MethodRouter<S>
where
    S: Clone + Send + Sync + 'static,
    ServiceState: FromRef<S>,
{
    let path = table::main_route(operation).path;
    let routes = table::routes().iter().filter(|route| route.operation == operation && route.path == path);
    let methods: Vec<_> = routes.clone().map(|route| route.method.clone()).collect();
    let endpoint = PathHandler { resource, routes: routes.filter(|_| resource.enables(operation)).cloned().collect() };
    let filters = methods.into_iter().filter_map(|method| MethodFilter::try_from(method).ok());
    filters.fold(MethodRouter::new(), |router, filter| router.on(filter, endpoint.clone()))
}

/// The routes of a resource, and the program's own below its prefix, for a router that the program builds.
fn resource_router(state: &ServiceState, resource: &'static Descriptor) -> Result<Router> {
    let Some(mounted) = state.mounted_resource(resource) else {
        let name = resource.name;
        return Err(Error::Setup(format!(
            "{name} is not a resource of the service: add `Service::resource::<{name}>()`"
        )));
    };
    let is_own = |route: &&MountedRoute| route.resource.is_some_and(|own| std::ptr::eq(own, resource));
    let own_routes = state.model().own_routes().filter(is_own).cloned().collect();
    let router = add_resource(add_redirects(Router::new(), mounted), state, mounted, own_routes);
    if !router.has_routes() {
        return Ok(router);
    }
    let (traced, authenticated) = (state.clone(), state.clone());
    let trace = move |request, next: Next| {
        let traced = traced.clone();
        async move { middleware::trace_request(&traced, None, request, move |request| next.run(request)).await }
    };
    let keep_private = move |mut response: Response| {
        authenticated.parts().principals.keep_private(&mut response);
        std::future::ready(response)
    };
    // `route_layer`: a plain layer of the router would be around the program's fallback too.
    Ok(router.route_layer(from_fn(trace)).route_layer(map_response(keep_private)))
}

async fn route_not_found(request: Request) -> Response {
    let method = request.method();
    let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
    // Escaped: the path comes from the client, and a log or a page may show it.
    let path = Head::from(&request).original_path().escape_debug();
    Problem::new(Code::RouteNotFound, format!("there is no route {method} {path}")).into_response()
}
