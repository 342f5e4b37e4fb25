//! Who may make a request.

use axum::http::StatusCode;
use axum::http::request::Parts;

use crate::http::request_identity::Caller;
use crate::http::state::ServiceState;
use crate::model::access::Access;
use crate::model::actor::Actor;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};

/// Who sends a request for an operation, if they may.
///
/// # Errors
/// 401 when the request carries no token that it needs, or one that is not valid; 403 when the operation is not
/// for whom it names.
pub(super) async fn admit(
    state: &ServiceState,
    resource: &'static Descriptor,
    operation: Operation,
    parts: &Parts,
) -> Result<Caller, Problem> {
    let principal = match state.authenticate(&parts.headers).await {
        // Where the answer is the same to everybody, nothing hangs on a token.
        Err(problem) if problem.code().status() == StatusCode::UNAUTHORIZED && resource.is_open(operation) => None,
        principal => principal?,
    };
    if state.is_secured() && !resource.access.admit(operation, principal.as_ref()) {
        return Err(refusal(principal.as_ref()));
    }
    Ok(Caller::new(resource, principal, parts.extensions.get::<Actor>().cloned()))
}

/// Refuses a caller who has no access to something besides the operation itself.
///
/// # Errors
/// As [`admit`].
pub(super) fn demand(state: &ServiceState, caller: &Caller, access: Access) -> Result<(), Problem> {
    let principal = caller.principal.as_ref();
    if state.is_secured() && !access.admits(principal) { Err(refusal(principal)) } else { Ok(()) }
}

/// Who asks for the log of all resources, if they may: the role that the service names, `admin` unless it
/// says otherwise.
///
/// # Errors
/// As [`admit`].
pub(super) async fn reader_of_the_log(state: &ServiceState, parts: &Parts) -> Result<Option<Principal>, Problem> {
    let principal = state.authenticate(&parts.headers).await?;
    let may = principal.as_ref().is_some_and(|principal| principal.has_role(state.audit_role()));
    if state.is_secured() && !may { Err(refusal(principal.as_ref())) } else { Ok(principal) }
}

fn refusal(principal: Option<&Principal>) -> Problem {
    match principal {
        Some(_) => Problem::new(Code::PermissionDenied, "permission denied"),
        None => Problem::new(Code::AuthenticationFailed, "authentication failed"),
    }
}
