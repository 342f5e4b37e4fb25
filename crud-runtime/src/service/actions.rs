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
use crate::http::action::{Action, Handler, MountedAction};
use crate::http::routes::ResourcePath;
use crate::http::service_routes::RESERVED;
use crate::model::resource::Resource;
use crate::storage::error::{Error, Result};
use crate::store::mounted_resource::MountedResource;
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

    /// Adds a route of the program at a path such as `/reports/top`: as [`action`](Self::action), of no resource.
    pub fn route(mut self, action: Action<Handler>) -> Self {
        self.actions.push((None, Arc::new(action)));
        self
    }

    /// Adds the routes of an axum router, whose state is set: they have the service's log lines, request ids, security
    /// headers, CORS and graceful stop, and a panic of theirs is answered. [`route`](Self::route) gives more: the document,
    /// access, limits.
    ///
    /// # Panics
    /// When both have a route, as [`Router::merge`].
    pub fn merge(mut self, router: Router) -> Self {
        self.router = self.router.merge(router);
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
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<Route> + Clone + Send + Sync + 'static,
        L::Service: tower::Service<Request> + Clone + Send + Sync + 'static,
        <L::Service as tower::Service<Request>>::Response: IntoResponse + 'static,
        <L::Service as tower::Service<Request>>::Error: Into<Infallible> + 'static,
        <L::Service as tower::Service<Request>>::Future: Send + 'static,
    {
        self.layers.push(Box::new(move |router| router.layer(layer)));
        self
    }

    /// The routes of the program with their whole paths.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first that does not fit.
    pub(super) fn mounted_actions(&self) -> Result<Vec<MountedAction>> {
        let mut all: Vec<MountedAction> = Vec::with_capacity(self.actions.len());
        for (resource, action) in &self.actions {
            let mounted = match resource {
                Some(resource) => {
                    let is_wanted = |options: &&ResourceOptions| std::ptr::eq(options.descriptor, *resource);
                    let options = self.resources.iter().find(is_wanted).ok_or_else(|| {
                        refusal(action, &format!("belongs to {}, which the service does not have", resource.name))
                    })?;
                    let name = action.path.trim_start_matches('/');
                    let below = if action.is_item { format!("/{{id}}/{name}") } else { format!("/{name}") };
                    let is_generated = |path: &ResourcePath| path.path() == below;
                    if name.contains('/') || !is_segment(name) || ResourcePath::ALL.iter().any(is_generated) {
                        return Err(refusal(action, "needs a path of one segment that no generated route has"));
                    }
                    MountedAction {
                        resource: Some(resource),
                        path: format!("{}{below}", options.prefix),
                        action: action.clone(),
                        schema: schema(action),
                    }
                }
                None => {
                    let is_reserved =
                        |route: &&str| action.path == **route || action.path.starts_with(&format!("{route}/"));
                    let segments = action.path.strip_prefix('/').is_some_and(|path| path.split('/').all(is_segment));
                    if !segments || RESERVED.iter().any(is_reserved) {
                        return Err(refusal(action, "needs a path such as `/reports/top` that no generated route has"));
                    }
                    if self.resources.iter().any(|options| is_below(&action.path, &options.prefix)) {
                        return Err(refusal(action, "has a path below a resource's: use `Service::action`"));
                    }
                    MountedAction {
                        resource: None,
                        path: action.path.clone(),
                        action: action.clone(),
                        schema: schema(action),
                    }
                }
            };
            check_arguments(&mounted)?;
            let is_same = |other: &&MountedAction| other.path == mounted.path && other.action.method == action.method;
            if all.iter().any(|other| is_same(&other)) {
                return Err(refusal(action, "is there twice"));
            }
            all.push(mounted);
        }
        Ok(all)
    }
}

fn check_arguments(mounted: &MountedAction) -> Result<()> {
    let action = &*mounted.action;
    let records = action.handler.0.records();
    if records.is_empty() {
        return Ok(());
    }
    let fits = |resource: &crate::descriptor::Descriptor| {
        mounted.resource.is_some_and(|own| std::ptr::eq(own, resource)) && action.is_item
    };
    match records.iter().find(|resource| !fits(resource)) {
        Some(resource) => Err(refusal(
            action,
            &format!("takes a record of {0}: it must be `action::<{0}>(… .item() …)`", resource.name),
        )),
        None if action.method == Method::GET => {
            Err(refusal(action, "locks a record, which GET must not: read it by `ctx.store()`"))
        }
        None => Ok(()),
    }
}

/// The fields of the body that an action takes.
fn schema(action: &Action<Handler>) -> Option<Arc<MountedResource>> {
    let body = action.handler.0.describe().body?;
    Some(Arc::new(MountedResource::of_derived(ResourceOptions::new(body))))
}

fn is_segment(segment: &str) -> bool {
    !segment.is_empty()
        && ![".", ".."].contains(&segment)
        && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
}

fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn refusal(action: &Action<Handler>, what: &str) -> Error {
    Error::Setup(format!("the route {} `{}` {what}", action.method, action.path))
}
