//! Visits.

use crud_runtime::prelude::*;

/// A visit.
#[derive(Debug, Clone, Resource)]
#[crud(table("visits", unmanaged, no_key), filter, sort, pagination)]
pub struct Visit {
    pub at: String,
    pub note: Option<String>,
}
