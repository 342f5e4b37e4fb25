//! The lines at start that name the program's routes whose access nothing states.

use super::builder::Service;
use crate::http::action::mounted::MountedAction;

impl Service {
    /// Names the routes of the program that are open because nothing states their access, where the service has
    /// authentication: to every valid token, and to everyone where the operation that they resemble is.
    pub(super) fn warn_of_open_routes(&self, actions: &[MountedAction]) {
        if self.security().is_none() {
            return;
        }
        let unstated =
            || actions.iter().filter(|mounted| mounted.replaces.is_none() && mounted.action.options.access.is_none());
        let public = named(unstated().filter(|mounted| mounted.access.is_public()));
        if !public.is_empty() {
            tracing::warn!(routes = public, "routes are open to everyone, as what they resemble: state their access");
        }
        let authenticated = named(unstated().filter(|mounted| mounted.resource.is_none()));
        if !authenticated.is_empty() {
            tracing::warn!(routes = authenticated, "routes are open to every valid token: state their access");
        }
        if !self.routers.is_empty() || !self.stateful_routers.is_empty() {
            tracing::info!("merged routes have no access but what their handlers check");
        }
    }
}

/// The methods and paths of routes.
fn named<'a>(actions: impl Iterator<Item = &'a MountedAction>) -> String {
    let names: Vec<String> =
        actions.map(|mounted| format!("{} {}", mounted.action.options.method, mounted.path)).collect();
    names.join(", ")
}
