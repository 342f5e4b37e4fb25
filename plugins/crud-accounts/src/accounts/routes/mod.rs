//! The routes of accounts, below that of logins.

pub(super) mod acceptance;
mod address;
mod factor;
mod invitations;
mod passwords;
mod registration;
mod requests;
mod sessions;
mod verification;

use crud_runtime::routing::{Route, Routes};

/// The largest size of a body, in bytes.
const BODY_LIMIT: usize = 16 * 1024;

/// All routes below a path such as `/auth`. Users with `invite_role` may invite; `has_sessions` is whether sessions can
/// be revoked.
pub(super) fn all(auth: &str, invite_role: &str, has_sessions: bool) -> Routes {
    let routes = registration::routes(auth)
        .merge(verification::routes(auth))
        .merge(passwords::routes(auth))
        .merge(address::routes(auth))
        .merge(invitations::routes(auth, invite_role))
        .merge(factor::routes(auth));
    if has_sessions { routes.merge(sessions::routes(auth)) } else { routes }
}

/// Adds a route's documentation, and makes it personal: an API key, which only acts for a user, cannot manage the
/// account.
fn described(route: Route, id: &str, summary: &str, description: &str) -> Route {
    let route = route.operation_id(id).summary(summary).description(description);
    route.tags(["Accounts"]).no_store().body_limit(BODY_LIMIT).personal()
}
