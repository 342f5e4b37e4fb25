//! Visiteds.

use crud_runtime::prelude::*;

use super::account::Account;

/// A visited.
#[derive(Debug, Clone, Resource)]
#[crud(table("visited", unmanaged), filter, sort, pagination(cursor))]
pub struct Visited {
    pub id: i64,
    #[crud(references(Account, unconstrained, expand))]
    pub account_id: Option<i64>,
    pub extra_id: Option<i64>,
}
