//! Counteds.

use crud_runtime::prelude::*;

/// A counted.
#[derive(Debug, Clone, Resource)]
#[crud(table("counted", unmanaged), filter, sort, pagination(cursor))]
pub struct Counted {
    #[crud(id, length(max = 10))]
    pub code: String,
    #[crud(default(database), unique)]
    pub number: i32,
}
