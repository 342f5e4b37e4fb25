//! Sessions.

use crud_runtime::prelude::*;

use super::account::Account;

/// A session.
#[derive(Debug, Clone, Resource)]
#[crud(table("sessions", unmanaged, no_key), filter, sort, pagination)]
pub struct Session {
    #[crud(references(Account, expand))]
    pub account_id: Option<Uuid>,
}
