//! The principal of a request with a key.
//!
//! Each request reads the key and its user from storage. So revoking a key, disabling its user or taking a role away
//! acts on the next request, on every server. Nothing is cached, so made-up keys take no memory.

use std::sync::Arc;

use crud_runtime::ServiceState;
use crud_runtime::auth::{AuthParts, Principal};
use crud_runtime::error::Code;
use crud_runtime::prelude::*;

use super::holder;
use super::key_text::KeyText;
use super::last_use::LastUses;
use super::table::ApiKey;

/// A hash that no key has. Keys with an unknown id are compared with it.
const NO_HASH: &str = "----------------------------------------------------------------";

/// The principal of a request with `Authorization: Bearer ck_…`; `None` for any other request.
///
/// # Errors
/// `invalid_token` for a key that is not valid; `token_expired`; any error of the database.
pub(super) async fn principal(
    state: ServiceState,
    parts: AuthParts,
    uses: Arc<LastUses>,
) -> Result<Option<Principal>, Problem> {
    let Some(token) = bearer(&parts).filter(|token| KeyText::is_meant(token)) else { return Ok(None) };
    let presented = KeyText::parse(token).ok_or_else(invalid)?;
    let found = state.app().store::<ApiKey>().find(presented.id()).await?;
    // The comparison takes the same time for an unknown id as for a wrong secret.
    let is_genuine = presented.has_hash(found.as_ref().map_or(NO_HASH, |key| &key.hash));
    let key = found.filter(|_| is_genuine).ok_or_else(invalid)?;
    if key.expires_at.is_some_and(|end| end <= state.app().now()) {
        return Err(Problem::new(Code::TokenExpired, "the API key has expired"));
    }
    let user = holder::of_key(&state, &key).await?.ok_or_else(invalid)?;
    uses.note(state.app(), &key).await;
    let delegate = format!("key:{}", key.name);
    Ok(Some(user.via(delegate).limited_to(key.roles, key.permissions)))
}

/// The bearer token of the header `Authorization`. The scheme may be in any letter case.
fn bearer(parts: &AuthParts) -> Option<&str> {
    let (scheme, token) = parts.header("authorization")?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_start_matches(' '))
}

/// The refusal of a key. It is the same for an unknown key, a wrong secret, and a deleted user.
fn invalid() -> Problem {
    Problem::of(Code::InvalidToken)
}
