//! The user that a key acts for, as it is now.

use crud_runtime::ServiceState;
use crud_runtime::auth::Principal;
use crud_runtime::prelude::*;
use serde_json::Value as Json;

use super::table::ApiKey;

/// The principal of a key's user, with the user's current roles and in the key's tenant. `None` if the user is deleted,
/// disabled, or no longer in the tenant.
///
/// With memberships, the service itself checks the user's membership in the tenant, with every request.
///
/// # Errors
/// When the lookup of the user fails.
pub(super) async fn of_key(state: &ServiceState, key: &ApiKey) -> Result<Option<Principal>, Problem> {
    let auth = state.auth().ok_or_else(|| Problem::internal("the service has no users"))?;
    let Some(user) = auth.current_principal(&key.user).await? else { return Ok(None) };
    if state.model().has_memberships() {
        return Ok(match &key.tenant {
            Some(tenant) => serde_json::from_str(tenant).ok().map(|tenant: Json| user.with_tenant(tenant)),
            None => Some(user),
        });
    }
    Ok(Some(user).filter(|user| tenant_of(user) == key.tenant))
}

/// The tenant of a user as JSON text, as keys store it.
pub(super) fn tenant_of(user: &Principal) -> Option<String> {
    user.tenant().map(Json::to_string)
}
