//! Librarians of the town, whom its proxy has authenticated.

use std::net::IpAddr;

use crud_runtime::auth::{AuthParts, Principal};

/// The librarian that the town's proxy names. From elsewhere, the header is a forgery, and counts for nothing.
///
/// The subject has a prefix: `1` is a member of the club.
pub(crate) fn librarian(proxy: IpAddr, parts: &AuthParts) -> Option<Principal> {
    let is_proxy = parts.peer().is_some_and(|peer| peer.ip() == proxy);
    let name = parts.header("x-librarian").filter(|name| is_proxy && !name.is_empty())?;
    Some(Principal::new(format!("town:{name}")).with_roles(["librarian"]))
}
