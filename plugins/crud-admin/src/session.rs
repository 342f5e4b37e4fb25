//! The session of the page: a [`CookieSession`](crud_runtime::routing::CookieSession) at `/admin/session`, if users log
//! in by the service's own routes.

use crud_runtime::Model;

/// Whether users log in by the service's own routes.
pub(crate) fn is_possible(model: &Model) -> bool {
    let Some(login) = model.path("/auth/login") else { return false };
    model.access_table().routes().iter().any(|route| route.method == "POST" && route.path == login)
}
