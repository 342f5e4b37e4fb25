//! Visits.

use crud_runtime::prelude::*;

/// A visit.
#[derive(Debug, Clone, Resource)]
#[crud(unmanaged, table = "visits", filter, sort, no_key, pagination)]
pub struct Visit {
    pub at: String,
    pub note: Option<String>,
}
