//! Visits.

use crud_runtime::prelude::*;

/// A visit.
#[derive(Debug, Clone, Resource)]
#[crud(table("visit", unmanaged, no_key), filter, sort, pagination)]
pub struct Visit {
    pub at: NaiveDateTime,
    pub note: Option<String>,
}
