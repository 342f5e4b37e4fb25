//! Users: their table, the program's own store of them, and changes.

pub(super) mod change_password;
mod hooked_edit;
pub(super) mod hooks;
pub(super) mod joining;
pub(crate) mod managed;
pub(crate) mod manager_rule;
pub(crate) mod own_users;
pub(super) mod store;
pub(super) mod stored;
pub(super) mod table;

use crate::Resource;
use crate::model::descriptor::Descriptor;

/// The users in the service's own table, for `references(users)`.
#[doc(hidden)]
pub fn users() -> &'static Descriptor {
    table::AuthUser::DESCRIPTOR
}
