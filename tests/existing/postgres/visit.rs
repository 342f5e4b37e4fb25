//! Visits.

use crud_runtime::prelude::*;

use super::reader::Reader;

/// A visit.
#[derive(Debug, Clone, Resource)]
#[crud(table("visit", unmanaged, no_key), filter, sort, pagination)]
pub struct Visit {
    pub at: NaiveDateTime,
    #[crud(references(Reader, unconstrained, expand))]
    pub reader_id: Option<Uuid>,
    pub note: Option<String>,
}
