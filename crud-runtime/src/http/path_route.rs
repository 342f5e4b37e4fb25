//! [`PathRoute`]: a route of a path, generated or the program's.

use std::sync::Arc;

use axum::http::Method;

use super::operation::route::OperationRoute;
use super::request_policy::RequestPolicy;
use super::routing::service::Endpoint;
use super::state::ServiceState;
use crate::model::access::Enforcement;
use crate::model::descriptor::{Deprecation, Descriptor};
use crate::model::principal::Principal;
use crate::store::mounted::rate_limiter::RateLimiter;
use crate::store::mounted::resource::MountedResource;

/// A route of a path.
pub(crate) enum PathRoute {
    /// A generated operation of a resource.
    Generated(Arc<MountedResource>, OperationRoute),
    /// A route of the program.
    Own(Endpoint),
}

impl PathRoute {
    pub(crate) fn method(&self) -> &Method {
        match self {
            Self::Generated(_, route) => &route.method,
            Self::Own(endpoint) => endpoint.method(),
        }
    }

    /// The resource of the route, or the one whose prefix the route is below.
    pub(crate) fn resource(&self) -> Option<&'static Descriptor> {
        match self {
            Self::Generated(mounted, _) => Some(mounted.resource()),
            Self::Own(endpoint) => endpoint.mounted.resource,
        }
    }

    /// The limits of the requests of the route's callers.
    pub(crate) fn rate_limiters<'r>(&'r self, state: &'r ServiceState) -> impl Iterator<Item = &'r RateLimiter> {
        let (own, mounted) = match self {
            Self::Generated(mounted, _) => (None, Some(mounted)),
            Self::Own(endpoint) => (endpoint.rate_limiter(), endpoint.mounted_resource(state)),
        };
        own.into_iter().chain(mounted.and_then(|mounted| mounted.rate_limiter()))
    }

    /// Whether the route's answers are the same for every sender.
    pub(crate) fn is_open(&self, enforcement: Enforcement) -> bool {
        match self {
            Self::Generated(mounted, route) => route.is_open(mounted.resource(), enforcement),
            Self::Own(endpoint) => endpoint.mounted.access.is_public(),
        }
    }

    /// Whether a principal has the access that the route needs; `None` is a request without a token.
    pub(crate) fn admits(&self, enforcement: Enforcement, principal: Option<&Principal>) -> bool {
        match self {
            Self::Generated(mounted, route) => route.admits(mounted.resource(), enforcement, principal),
            Self::Own(endpoint) => endpoint.mounted.admits(enforcement, principal),
        }
    }

    /// Whether the route refuses principals that act for a user.
    pub(crate) fn is_personal(&self) -> bool {
        match self {
            Self::Generated(..) => false,
            Self::Own(endpoint) => endpoint.mounted.route.options.is_personal,
        }
    }

    /// Whether the route's handler itself identifies the sender.
    pub(crate) fn identifies_sender(&self) -> bool {
        match self {
            Self::Generated(..) => false,
            Self::Own(endpoint) => endpoint.mounted.route.options.identifies_sender,
        }
    }

    /// The policy around the route's handler.
    pub(crate) fn policy(&self) -> RequestPolicy {
        match self {
            Self::Generated(_, route) => route.policy,
            Self::Own(endpoint) => endpoint.policy(),
        }
    }

    pub(crate) fn deprecation(&self) -> Option<Deprecation> {
        match self {
            Self::Generated(mounted, _) => mounted.resource().deprecation,
            Self::Own(endpoint) => endpoint.mounted.deprecation(),
        }
    }
}
