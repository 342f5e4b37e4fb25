//! Librarians of the town, whom its proxy has authenticated.

use std::net::IpAddr;

use crud_runtime::auth::{AuthParts, Principal};
use crud_runtime::error::Problem;

/// The librarian that the town's proxy names. From elsewhere, the header is a forgery, and counts for nothing.
///
/// The subject has a prefix: `1` is a member of the club.
pub(crate) async fn librarian(proxy: IpAddr, parts: AuthParts) -> Result<Option<Principal>, Problem> {
    let is_proxy = parts.peer().is_some_and(|peer| peer.ip() == proxy);
    let name = parts.header("x-librarian").filter(|name| is_proxy && !name.is_empty());
    Ok(name.map(|name| Principal::new(format!("town:{name}")).with_roles(["librarian"])))
}
