//! The lines at start that name the program's routes whose access nothing states.

use super::builder::Service;
use crate::http::routing::mounted::MountedRoute;

impl Service {
    /// Names the routes of the program that are open to everyone because nothing states their access and the operation that
    /// they resemble is, where the service has authentication.
    pub(super) fn warn_of_open_routes(&self, routes: &[MountedRoute]) {
        if self.security().is_none() {
            return;
        }
        let unstated =
            routes.iter().filter(|mounted| mounted.replaces.is_none() && mounted.route.options.access.is_none());
        let public = named(unstated.filter(|mounted| mounted.access.is_public()));
        if !public.is_empty() {
            tracing::warn!(routes = public, "routes are open to everyone, as what they resemble: state their access");
        }
        if !self.routers.is_empty() || !self.stateful_routers.is_empty() {
            tracing::info!("merged routes have no access but what their handlers check");
        }
    }
}

/// The methods and paths of routes.
fn named<'a>(routes: impl Iterator<Item = &'a MountedRoute>) -> String {
    let names: Vec<String> =
        routes.map(|mounted| format!("{} {}", mounted.route.options.method, mounted.path)).collect();
    names.join(", ")
}
