//! The principal of a request with a key.
//!
//! Each request reads the key and its user by their keys. So a key that is revoked, or whose user is disabled or has lost a
//! role, is refused with the next request on every server, and made-up keys take no memory.

use std::sync::Arc;

use crud_runtime::ServiceState;
use crud_runtime::auth::{AuthParts, Principal};
use crud_runtime::error::Code;
use crud_runtime::prelude::*;

use super::holder;
use super::key_text::KeyText;
use super::last_use::LastUses;
use super::table::ApiKey;

/// Hash that no key has, which an unknown id is compared with.
const NO_HASH: &str = "----------------------------------------------------------------";

/// The principal of a request with `Authorization: Bearer ck_…`; `None` for any other request.
///
/// # Errors
/// `invalid_token` for a key that is not valid; `token_expired`; when the database fails.
pub(super) async fn principal(
    state: ServiceState,
    parts: AuthParts,
    uses: Arc<LastUses>,
) -> Result<Option<Principal>, Problem> {
    let Some(token) = bearer(&parts).filter(|token| KeyText::is_meant(token)) else { return Ok(None) };
    let presented = KeyText::parse(token).ok_or_else(invalid)?;
    let found = state.app().store::<ApiKey>().find(presented.id()).await?;
    // An unknown id takes the time of a wrong secret.
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

/// The token of the header `Authorization`, whose scheme is written in any case.
fn bearer(parts: &AuthParts) -> Option<&str> {
    let (scheme, token) = parts.header("authorization")?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_start_matches(' '))
}

/// The refusal of a key: the same for an unknown one, a wrong secret, and a user that is gone.
fn invalid() -> Problem {
    Problem::of(Code::InvalidToken)
}
