//! Visits.

use crud_runtime::prelude::*;

/// A visit.
#[derive(Debug, Clone, Resource)]
#[crud(unmanaged, table = "visit", filter, sort, no_key, pagination)]
pub struct Visit {
    pub at: NaiveDateTime,
    pub note: Option<String>,
}
