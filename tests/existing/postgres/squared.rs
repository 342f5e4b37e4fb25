//! Squareds.

use crud_runtime::prelude::*;

/// A squared.
#[derive(Debug, Clone, Resource)]
#[crud(table("squared", unmanaged, no_key), filter, sort, pagination)]
pub struct Squared {
    pub root: i32,
    pub square: i32,
}
