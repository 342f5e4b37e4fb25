//! The program's own routes.

use std::sync::Arc;

use axum::Router;
use axum::http::Method;

use super::builder::Service;
use crate::http::operation::table;
use crate::http::principal_source::PrincipalSource;
use crate::http::routing::argument::path_types::Segments;
use crate::http::routing::argument::query::is_parameter;
use crate::http::routing::describe::DescribedBody;
use crate::http::routing::mounted::{MountedRoute, PathPlace};
use crate::http::routing::route::Route;
use crate::http::routing::route::layer::RouteLayer;
use crate::http::routing::route::routes::Routes;
use crate::http::state::ServiceState;
use crate::model::descriptor::Descriptor;
use crate::model::resource::Resource;
use crate::storage::error::{Error, Result};
use crate::store::app::is_internal;

/// # Own routes
///
/// Routes and layers of the program.
impl Service {
    /// Adds a route of the program at a path such as `/reports/top`, `/articles/{slug}` or `/parts/{id}/take`. It has the
    /// access, limits, log lines, errors and document of generated routes.
    ///
    /// A path below a resource's prefix belongs to the resource: `{prefix}/{id}` and below to its record, by the parameter
    /// `{id}`. It may have a method that a generated route of the same path lacks. A last segment such as `{*path}` is the rest
    /// of the path; `/` is a path where [`ServerOptions::paths`](crate::ServerOptions::paths) leaves `home` out.
    ///
    /// Errors at start: a method and a path that are there already, an argument that takes the record of another
    /// resource, parameters that the path does not have, no access rule where no resource's rule applies.
    ///
    /// ```
    /// use crud_runtime::access::Access;
    /// use crud_runtime::axum::Json;
    /// use crud_runtime::axum::extract::Path;
    /// use crud_runtime::routing::{Context, get};
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Part { id: i64, stock: i32 }
    ///
    /// async fn below(ctx: Context, Path(stock): Path<i32>) -> crud_runtime::Result<Json<u64>> {
    ///     Ok(Json(ctx.store::<Part>().count(Part::FIELDS.stock.lt(stock)).await?))
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Part>();
    /// let service = service.route("/reports/below/{stock}", get(below).access(Access::Public));
    /// # Ok(()) }
    /// ```
    pub fn route(mut self, path: impl Into<String>, route: Route) -> Self {
        self.own_routes.push((path.into(), Arc::new(route)));
        self
    }

    /// Adds routes of the program, each like [`route`](Self::route).
    pub fn routes(self, routes: Routes) -> Self {
        routes.into_iter().fold(self, |service, (path, route)| service.route(path, route))
    }

    /// Adds the routes of an axum router, whose state is set ([`merge_with_state`](Self::merge_with_state) sets it):
    /// they have the service's log lines, request ids, security headers, CORS and graceful stop, a panic becomes a
    /// response, and the extractor [`Principal`](crate::auth::Principal) authenticates. [`route`](Self::route) gives
    /// more: the document, access, limits.
    ///
    /// A route that the service or another router has already is an error at start.
    pub fn merge(mut self, router: Router) -> Self {
        self.routers.push(router);
        self
    }

    /// [`merge`](Self::merge) for a router whose handlers take the service's state: it needs no `with_state`.
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

    /// The routes of the program, with whole paths.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first that does not fit.
    pub(super) fn mounted_routes(&self) -> Result<Vec<MountedRoute>> {
        let mut all = self.replacements()?;
        for (index, (path, route)) in self.own_routes.iter().enumerate() {
            self.add_own_route(&mut all, path, route.clone(), self.plugin_of_route(index))?;
        }
        self.add_plugin_routes(&mut all)?;
        Ok(all)
    }

    /// Adds a route of the program, or of a plugin, to those that are there already.
    ///
    /// # Errors
    /// [`Error::Setup`] when it does not fit.
    pub(super) fn add_own_route(
        &self,
        all: &mut Vec<MountedRoute>,
        path: &str,
        route: Arc<Route>,
        plugin: Option<&'static str>,
    ) -> Result<()> {
        let place = PathPlace::of(path, self.resources.iter());
        let mounted = MountedRoute::new(place, path.to_owned(), route, self.enforcement());
        let mounted = MountedRoute { plugin, ..mounted };
        self.check_path_of(&mounted)?;
        self.check_access_of(&mounted)?;
        check_arguments(&mounted)?;
        if mounted.described.has_next {
            return refuse(&mounted, "takes `Next`, which a handler of `Service::replace` has");
        }
        let is_same = |other: &MountedRoute| {
            let method = &other.route.options.method;
            other.replaces.is_none() && other.path == mounted.path && *method == mounted.route.options.method
        };
        if let Some(other) = all.iter().find(|other| is_same(other)) {
            return match (other.plugin, plugin) {
                (None, None) => refuse(&mounted, "is registered twice"),
                (Some(other), _) => refuse(&mounted, format!("is there already: the plugin `{other}` brings it")),
                (None, Some(_)) => refuse(&mounted, "is there already: the program has it"),
            };
        }
        if let Some(other) = all.iter().find(|other| differs_in_names(&other.path, &mounted.path)) {
            let what = format!("names a parameter otherwise than `{}`, which has the same path", other.path);
            return refuse(&mounted, what);
        }
        all.push(mounted);
        Ok(())
    }

    /// Checks that a path is well formed, and that no generated route has its method.
    fn check_path_of(&self, mounted: &MountedRoute) -> Result<()> {
        let (path, method) = (&mounted.path, &mounted.route.options.method);
        let is_reserved = |(route, _): &(&str, _)| *path == *route || path.starts_with(&format!("{route}/"));
        let is_home = path == "/" && self.server.paths.home != Some("/");
        if !(is_home || is_path(path)) {
            return refuse(mounted, "needs a path such as `/reports/top`");
        }
        let is_of_plugin = mounted.plugin.is_some() && self.server.paths.admits_plugin(path);
        let reserved = self.server.paths.reserved().filter(|_| !is_of_plugin).find(is_reserved);
        if let Some((route, moved_by)) = reserved {
            let advice = moved_by.map_or_else(String::new, |name| {
                format!(", or leave out the service's, or move it: `paths(ServicePaths::new().{name}(None))` of `Service::server`")
            });
            return refuse(
                mounted,
                format!("is at `{route}` or below it, which the service has: choose another path{advice}"),
            );
        }
        if *method == Method::HEAD {
            return refuse(mounted, "is for HEAD, which the route for GET answers");
        }
        for options in &self.resources {
            for former in options.descriptor.moved_from {
                let below = format!("{former}/{{*rest}}");
                if path == former || *path == below || differs_in_names(&below, path) {
                    return refuse(mounted, format!("is at `{former}`, which redirects to `{}`", options.prefix));
                }
            }
            for (generated, routes) in table::paths_of(options.descriptor) {
                let generated = format!("{}{generated}", options.prefix);
                if differs_in_names(&generated, path) {
                    let what = format!("names a parameter otherwise than the generated `{generated}`: write `{{id}}`");
                    return refuse(mounted, what);
                }
                if generated == *path && routes.iter().any(|route| route.method == *method) {
                    return refuse(mounted, "is generated: `Service::replace` puts a handler in its place");
                }
            }
        }
        Ok(())
    }

    /// Checks that an own route below no resource states its access, where the service has rules.
    fn check_access_of(&self, mounted: &MountedRoute) -> Result<()> {
        let has_rules = !matches!(self.principals(), PrincipalSource::Missing);
        if has_rules && mounted.resource.is_none() && mounted.route.options.access.is_none() {
            let what = "states no access, and is below no resource whose rule it could have: add \
                        `.access(Access::Authenticated)`, or `.access(Access::Public)` for everyone";
            return refuse(mounted, what);
        }
        Ok(())
    }

    /// Checks that the service has each resource that a route's arguments and reply name. The stores of its handler are known
    /// only when it runs.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first that is missing.
    pub(super) fn check_route_resources(&self, own_routes: &[MountedRoute]) -> Result<()> {
        let has = |used: &Descriptor| {
            is_internal(used.module) || self.resources.iter().any(|options| std::ptr::eq(options.descriptor, used))
        };
        for mounted in own_routes {
            // A record in the path is checked separately.
            let used = [mounted.described.list, mounted.described.reply.resource()];
            if let Some(Descriptor { name, .. }) = used.into_iter().flatten().find(|used| !has(used)) {
                return Err(Error::Setup(format!(
                    "the route {} `{}` is about records of {name}, which the service does not have: add \
                     `Service::resource::<{name}>()`",
                    mounted.route.options.method, mounted.path
                )));
            }
        }
        Ok(())
    }
}

pub(super) fn check_arguments(mounted: &MountedRoute) -> Result<()> {
    check_query(mounted)?;
    check_path(mounted)?;
    let described = &mounted.described;
    if let Some(extractor) = described.taken_twice {
        return refuse(mounted, format!("takes `{extractor}` of two types, and a request has one"));
    }
    let fits =
        |resource: &Descriptor| mounted.resource.is_some_and(|own| std::ptr::eq(own, resource)) && mounted.is_item;
    if let Some(resource) = described.records.iter().find(|resource| !fits(resource)) {
        let name = resource.name;
        return refuse(mounted, format!("takes a record of {name}: its path must be `{{prefix of {name}}}/{{id}}/…`"));
    }
    if described.locks && mounted.route.options.method.is_safe() {
        return refuse(mounted, "locks a record, which GET must not: take it as `Record`, if its caller may see it");
    }
    let has_fields = matches!(described.body, Some(DescribedBody::Fields(_)));
    if mounted.route.options.envelope.is_some() && !has_fields && !described.reply.is_json() {
        return refuse(mounted, "has an `envelope`, and its handler has neither a `Valid` body nor a JSON answer");
    }
    Ok(())
}

/// Checks that the query parameters of a route are single values, and that no handler in place of a generated operation
/// takes any.
fn check_query(mounted: &MountedRoute) -> Result<()> {
    let described = &mounted.described;
    if described.query.is_some() && described.list.is_some() {
        return refuse(mounted, "takes `Query` and `ListParameters`, which both read the whole query string");
    }
    let Some(query) = described.query else { return Ok(()) };
    if mounted.replaces.is_some() {
        return refuse(mounted, "takes `Query` in place of a generated operation: read parameters by `ctx.query(…)`");
    }
    check_parameters(mounted, query)?;
    match query.columns.iter().find(|column| column.write_only) {
        Some(column) => {
            let name = column.json;
            refuse(mounted, format!("takes the parameter `{name}`, which is `write_only`: logs have query strings"))
        }
        None => Ok(()),
    }
}

/// Checks that the path of a route has the parameters that it takes.
fn check_path(mounted: &MountedRoute) -> Result<()> {
    let parameters: Vec<&str> = mounted.path.split('/').filter_map(parameter_name).collect();
    let missing =
        |name: &str| refuse(mounted, format!("takes the parameter `{name}` of the path, which has no `{{{name}}}`"));
    if let Some(path) = mounted.described.path {
        if mounted.replaces.is_some() {
            return refuse(mounted, "takes `Path` in place of a generated operation: read the key by `ctx.id(…)`");
        }
        check_parameters(mounted, path)?;
        if let Some(column) = path.columns.iter().find(|column| !parameters.contains(&column.json)) {
            return missing(column.json);
        }
    }
    match &mounted.described.segments {
        Some(Segments::Values(values)) if values.len() != parameters.len() => {
            let (takes, has) = (values.len(), parameters.len());
            refuse(mounted, format!("takes a `Path` of {takes} parameters, and its path has {has}"))
        }
        Some(Segments::Named(values)) => match values.iter().find(|value| !parameters.contains(&&*value.0.name)) {
            Some(value) => missing(&value.0.name),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Checks that parameters are single values.
fn check_parameters(mounted: &MountedRoute, parameters: &Descriptor) -> Result<()> {
    match parameters.columns.iter().find(|column| !is_parameter(column)) {
        Some(column) => refuse(
            mounted,
            format!("takes the parameter `{}`, which must be a single value, not JSON, bytes or a list", column.json),
        ),
        None => Ok(()),
    }
}

/// Whether a text is a path: segments and parameters, the last of which may be the rest of the path.
fn is_path(path: &str) -> bool {
    let Some(segments) = path.strip_prefix('/') else { return false };
    let is_legal = |segment: &str| is_segment(segment) || parameter_name(segment).is_some();
    let above = segments.rsplit_once('/').map(|(above, _)| above);
    segments.split('/').all(is_legal) && above.is_none_or(|above| !above.split('/').any(is_rest))
}

/// Whether a text is a segment (RFC 3986, section 3.3) that no client has to escape. axum refuses one that begins like its
/// former parameters.
fn is_segment(segment: &str) -> bool {
    !segment.is_empty()
        && ![".", ".."].contains(&segment)
        && !segment.starts_with([':', '*'])
        && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte))
}

/// Whether a segment is the rest of the path: `{*path}`.
fn is_rest(segment: &str) -> bool {
    segment.starts_with("{*")
}

/// The name of a parameter in a path: `slug` of `{slug}`, `path` of `{*path}`.
fn parameter_name(segment: &str) -> Option<&str> {
    let name = segment.strip_prefix('{')?.strip_suffix('}')?;
    let name = name.strip_prefix('*').unwrap_or(name);
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some(name)
}

/// Whether two paths differ only in the names of parameters, or one is below the other's `{*rest}`: no router can have
/// both.
fn differs_in_names(one: &str, other: &str) -> bool {
    let (first, second) = (shape(one), shape(other));
    let has_rest = |path: &str| path.rsplit('/').next().is_some_and(is_rest);
    let is_below = |path: &str, above: &str| path.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'));
    let meets_rest = has_rest(one) && is_below(&second, &first) || has_rest(other) && is_below(&first, &second);
    one != other && (first == second || meets_rest)
}

/// A path without the names of its parameters.
fn shape(path: &str) -> String {
    let segments = path.split('/').map(|segment| if parameter_name(segment).is_some() { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

/// # Errors
/// [`Error::Setup`] that says what is wrong with the route.
fn refuse<T>(mounted: &MountedRoute, what: impl AsRef<str>) -> Result<T> {
    let (method, path, what) = (&mounted.route.options.method, &mounted.path, what.as_ref());
    let of = mounted.plugin.map_or_else(String::new, |plugin| format!(" of the plugin `{plugin}`"));
    Err(Error::Setup(format!("the route {method} `{path}`{of} {what}")))
}
