//! The program's own routes.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::response::IntoResponse;
use axum::routing::Route;
use tower::Layer;

use super::builder::Service;
use crate::http::action::mounted::MountedAction;
use crate::http::action::options::ActionOptions;
use crate::http::action::query::is_parameter;
use crate::http::action::{Action, Handler};
use crate::http::operation;
use crate::http::state::ServiceState;
use crate::model::descriptor::Descriptor;
use crate::model::resource::Resource;
use crate::storage::error::{Error, Result};
use crate::store::resource_options::ResourceOptions;

impl Service {
    /// Adds a route of the program below a resource's: `{prefix}/{id}/{name}` of a record, `{prefix}/{name}` of the
    /// collection. It has the access, limits, log lines, errors and document of generated routes.
    ///
    /// What does not fit is an error at start: a path that a generated route has, an argument that takes the record of
    /// another resource, a record's argument in a route of the collection.
    pub fn action<R: Resource>(mut self, action: Action<Handler>) -> Self {
        self.actions.push((Some(R::DESCRIPTOR), Arc::new(action)));
        self
    }

    /// Adds a route of the program at a path such as `/reports/top` or `/articles/{slug}`: as [`action`](Self::action), of
    /// no resource. [`Ctx::path`](crate::action::Ctx::path) has the path's parameters.
    pub fn route(mut self, action: Action<Handler>) -> Self {
        self.actions.push((None, Arc::new(action)));
        self
    }

    /// Adds routes of the program, each as [`route`](Self::route).
    pub fn routes(self, actions: impl IntoIterator<Item = Action<Handler>>) -> Self {
        actions.into_iter().fold(self, Self::route)
    }

    /// Adds the routes of an axum router, whose state is set ([`merge_with_state`](Self::merge_with_state) sets it): they have the service's log lines, request ids, security
    /// headers, CORS and graceful stop, and a panic of theirs is answered. [`route`](Self::route) gives more: the document,
    /// access, limits.
    ///
    /// A route that the service or another router has already is an error at start.
    pub fn merge(mut self, router: Router) -> Self {
        self.routers.push(router);
        self
    }

    /// [`merge`](Self::merge) for a router whose handlers take the service's state, such as those with the extractor
    /// `CurrentUser`: it needs no `with_state`.
    ///
    /// ```
    /// use crud_runtime::ServiceState;
    /// use crud_runtime::axum::{Json, Router, extract::State, routing::get};
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Book { id: i64 }
    ///
    /// async fn count(State(state): State<ServiceState>) -> crud_runtime::Result<Json<u64>> {
    ///     Ok(Json(state.app().store::<Book>().count(Select::all()).await?))
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let own = Router::new().route("/count", get(count));
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>().merge_with_state(own);
    /// # Ok(()) }
    /// ```
    pub fn merge_with_state(mut self, router: Router<ServiceState>) -> Self {
        self.stateful_routers.push(router);
        self
    }

    /// Puts a layer of tower's around every route, within the service's log lines; the last one is the outermost.
    ///
    /// ```
    /// use crud_runtime::axum::http::{HeaderName, HeaderValue};
    /// use crud_runtime::axum::middleware::map_response;
    /// use crud_runtime::axum::response::Response;
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.layer(map_response(async |mut response: Response| {
    ///     let name = HeaderName::from_static("x-powered-by");
    ///     response.headers_mut().insert(name, HeaderValue::from_static("steam"));
    ///     response
    /// }));
    /// # Ok(()) }
    /// ```
    pub fn layer(mut self, layer: impl RouteLayer) -> Self {
        self.layers.push(Box::new(move |router| layer.put_around(router)));
        self
    }

    /// Puts a layer of tower's around every route of a resource, within those of [`layer`](Self::layer); the last one is
    /// the outermost.
    pub fn layer_for<R: Resource>(mut self, layer: impl RouteLayer) -> Self {
        self.resource_layers.push((R::DESCRIPTOR, Box::new(move |router| layer.put_around(router))));
        self
    }

    /// The routes of the program with their whole paths.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first that does not fit.
    pub(super) fn mounted_actions(&self) -> Result<Vec<MountedAction>> {
        let mut all = self.replacements()?;
        for (resource, action) in &self.actions {
            let options = &action.options;
            let path = match resource {
                Some(resource) => self.path_below(resource, options)?,
                None => self.own_path(options)?,
            };
            let mounted = MountedAction::new(*resource, path, action.clone());
            check_arguments(&mounted)?;
            if action.handler.0.describe().has_generated {
                return Err(refusal(options, "takes `Generated`, which a handler of `Service::replace` has"));
            }
            let is_same = |other: &&MountedAction| {
                other.replaces.is_none() && other.path == mounted.path && other.action.options.method == options.method
            };
            if all.iter().any(|other| is_same(&other)) {
                return Err(refusal(options, "is there twice"));
            }
            let is_alike =
                |other: &MountedAction| other.path == mounted.path || shape(&other.path) != shape(&mounted.path);
            if !all.iter().all(is_alike) {
                return Err(refusal(options, "names a parameter otherwise than another route with the same path"));
            }
            all.push(mounted);
        }
        Ok(all)
    }

    /// The whole path of a route below a resource's.
    fn path_below(&self, resource: &Descriptor, action: &ActionOptions) -> Result<String> {
        let is_wanted = |options: &&ResourceOptions| std::ptr::eq(options.descriptor, resource);
        let options = self.resources.iter().find(is_wanted).ok_or_else(|| {
            refusal(action, &format!("belongs to {}, which the service does not have", resource.name))
        })?;
        let name = action.path.trim_start_matches('/');
        let below = if action.is_item { format!("/{{id}}/{name}") } else { format!("/{name}") };
        let mut generated = operation::routes().iter();
        if name.contains('/') || !is_segment(name) || generated.any(|route| route.path == below) {
            return Err(refusal(action, "needs a path of one segment that no generated route has"));
        }
        Ok(format!("{}{below}", options.prefix))
    }

    /// The path of a route of no resource.
    fn own_path(&self, action: &ActionOptions) -> Result<String> {
        let is_reserved = |route: &str| action.path == route || action.path.starts_with(&format!("{route}/"));
        let is_legal = |segment: &str| is_segment(segment) || parameter_name(segment).is_some();
        let segments = action.path.strip_prefix('/').is_some_and(|path| path.split('/').all(is_legal));
        if !segments || self.paths.reserved().any(is_reserved) {
            return Err(refusal(action, "needs a path such as `/reports/top` that no generated route has"));
        }
        if self.resources.iter().any(|options| is_below(&action.path, &options.prefix)) {
            return Err(refusal(action, "has a path below a resource's: use `Service::action`"));
        }
        Ok(action.path.clone())
    }
}

/// A layer of tower's that goes around routes: every layer of requests to responses that cannot fail.
#[diagnostic::on_unimplemented(
    message = "expected a layer of tower's, found `{Self}`",
    note = "a function is a layer by `axum::middleware::from_fn`; a layer whose errors are not `Infallible` needs \
            `axum::error_handling::HandleErrorLayer` around it"
)]
pub trait RouteLayer: Send + Sync + 'static {
    /// Puts the layer around the routes of a router.
    #[doc(hidden)]
    fn put_around(self, router: Router) -> Router;
}

impl<L> RouteLayer for L
where
    L: Layer<Route> + Clone + Send + Sync + 'static,
    L::Service: tower::Service<Request> + Clone + Send + Sync + 'static,
    <L::Service as tower::Service<Request>>::Response: IntoResponse + 'static,
    <L::Service as tower::Service<Request>>::Error: Into<Infallible> + 'static,
    <L::Service as tower::Service<Request>>::Future: Send + 'static,
{
    fn put_around(self, router: Router) -> Router {
        router.layer(self)
    }
}

pub(super) fn check_arguments(mounted: &MountedAction) -> Result<()> {
    let action = &mounted.action.options;
    check_query(mounted)?;
    check_path(mounted)?;
    let records = mounted.action.handler.0.records();
    if records.is_empty() {
        return Ok(());
    }
    let fits =
        |resource: &Descriptor| mounted.resource.is_some_and(|own| std::ptr::eq(own, resource)) && action.is_item;
    match records.iter().find(|resource| !fits(resource)) {
        Some(resource) => Err(refusal(
            action,
            &format!("takes a record of {0}: it must be `action::<{0}>(… .item() …)`", resource.name),
        )),
        None if action.method == Method::GET => Err(refusal(
            action,
            "locks a record, which GET must not: read it by `ctx.store()`, which has the records that its caller reaches",
        )),
        None => Ok(()),
    }
}

/// Checks that the parameters that an action takes are single values, and that no generated operation reads its own.
fn check_query(mounted: &MountedAction) -> Result<()> {
    let action = &mounted.action.options;
    let described = mounted.action.handler.0.describe();
    if described.query.is_some() && described.list.is_some() {
        return Err(refusal(action, "takes `Query` and `ListParameters`, which both read the whole query string"));
    }
    let Some(query) = described.query else { return Ok(()) };
    if mounted.replaces.is_some() {
        return Err(refusal(
            action,
            "takes `Query` in place of a generated operation: read parameters by `ctx.query(…)`",
        ));
    }
    check_parameters(action, query)?;
    match query.columns.iter().find(|column| column.write_only) {
        Some(column) => {
            let name = column.json;
            Err(refusal(
                action,
                &format!("takes the parameter `{name}`, which is `write_only`: logs have query strings"),
            ))
        }
        None => Ok(()),
    }
}

/// Checks that the path of an action has the parameters that it takes.
fn check_path(mounted: &MountedAction) -> Result<()> {
    let action = &mounted.action.options;
    let Some(path) = mounted.action.handler.0.describe().path else { return Ok(()) };
    if mounted.replaces.is_some() {
        return Err(refusal(action, "takes `Path` in place of a generated operation: read the key by `ctx.id(…)`"));
    }
    check_parameters(action, path)?;
    let has = |name: &str| mounted.path.split('/').filter_map(parameter_name).any(|parameter| parameter == name);
    match path.columns.iter().find(|column| !has(column.json)) {
        Some(column) => {
            let name = column.json;
            Err(refusal(action, &format!("takes the parameter `{name}` of the path, which has no `{{{name}}}`")))
        }
        None => Ok(()),
    }
}

/// Checks that parameters are single values.
fn check_parameters(action: &ActionOptions, parameters: &Descriptor) -> Result<()> {
    match parameters.columns.iter().find(|column| !is_parameter(column)) {
        Some(column) => Err(refusal(
            action,
            &format!("takes the parameter `{}`, which must be a single value, not JSON, bytes or a list", column.json),
        )),
        None => Ok(()),
    }
}

fn is_segment(segment: &str) -> bool {
    !segment.is_empty()
        && ![".", ".."].contains(&segment)
        && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
}

/// The name of a parameter in a path: `slug` of `{slug}`.
fn parameter_name(segment: &str) -> Option<&str> {
    let name = segment.strip_prefix('{')?.strip_suffix('}')?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some(name)
}

/// A path without the names of its parameters.
fn shape(path: &str) -> String {
    let segments = path.split('/').map(|segment| if parameter_name(segment).is_some() { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub(super) fn refusal(action: &ActionOptions, what: &str) -> Error {
    Error::Setup(format!("the route {} `{}` {what}", action.method, action.path))
}
