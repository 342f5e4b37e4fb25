//! The admission of a request to a route. Each request is checked in one order: its sender, the limits of its requests, its
//! access, its tenant, the tables.

use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::request::Parts;
use tokio::time::Instant;

use super::handler::authorization::{AuthorizedRequest, RequestIdentity, denied};
use super::handler::rate_limit::{self, Caller, check_shared};
use super::path_route::PathRoute;
use super::state::ServiceState;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::query::claims::require_tenant;

/// Admits a request to a route.
///
/// # Errors
/// Errors of [`authorize`]; `unavailable` when the database lacks the schema of the route's resource.
pub(crate) async fn admit(
    state: &ServiceState,
    route: &PathRoute,
    request: Request,
    deadline: Instant,
) -> Result<AuthorizedRequest, Problem> {
    let (parts, body) = request.into_parts();
    let identity = authorize(state, route, &parts).await?;
    let state = state.clone().of_caller(identity.principal.as_deref())?;
    if let (Some(schema), Some(resource)) = (state.schema(), route.resource()) {
        schema.admit(resource).await?;
    }
    let reads = state.tenant_reads(identity.principal.as_ref(), (&parts.method, parts.uri.path()));
    Ok(AuthorizedRequest { state, identity, parts, body, deadline, reads })
}

/// The identity of a request that the route's access admits. The request counts towards the limits of its route and its
/// resource: for its principal, or for its network when it has no valid one.
///
/// # Errors
/// 401 for credentials that are refused, unless the route is open, and when a required token is missing; 429 beyond a
/// request limit; 403 when the principal lacks the access.
async fn authorize(state: &ServiceState, route: &PathRoute, parts: &Parts) -> Result<RequestIdentity, Problem> {
    let authenticated = state.authenticate(parts.into()).await;
    let principal = authenticated.as_ref().ok().and_then(Option::as_ref);
    for limiter in route.rate_limiters(state) {
        let caller = Caller::of(principal, || state.client_address(&parts.headers, &parts.extensions));
        match limiter.shared() {
            None => rate_limit::check(limiter, &caller, state.app().clock().now(), &parts.extensions)?,
            // Boxed: requests with other limits do not reserve memory for this future.
            Some(shared) => Box::pin(check_shared(shared, &caller, state, &parts.extensions)).await?,
        }
    }
    let enforcement = state.enforcement();
    let principal = match authenticated {
        // The response is the same for every principal, so an invalid token does not matter.
        Err(problem) if problem.code().status() == StatusCode::UNAUTHORIZED && route.is_open(enforcement) => None,
        authenticated => authenticated?,
    };
    identify(state, route, RequestIdentity::without_resource(state, principal, parts))
}

/// The identity of a sender that may use a route.
///
/// # Errors
/// 401 when a required token is missing, 403 when the principal lacks the access or the tenant.
pub(crate) fn identify(
    state: &ServiceState,
    route: &PathRoute,
    sender: RequestIdentity,
) -> Result<RequestIdentity, Problem> {
    let principal = sender.principal.as_deref();
    if !route.admits(state.enforcement(), principal) {
        return Err(denied(principal));
    }
    if let Some(delegate) = principal.and_then(Principal::delegate).filter(|_| route.is_personal()) {
        return Err(Problem::new(
            Code::PermissionDenied,
            format!("this is for users themselves, not for `{delegate}`"),
        ));
    }
    let Some(resource) = route.resource() else { return Ok(sender) };
    if !route.identifies_sender() {
        require_tenant(resource, principal)?;
    }
    Ok(sender.of_resource(state, resource))
}
