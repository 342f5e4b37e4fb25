//! Shelves.

use crud_runtime::prelude::*;

/// A shelf.
#[derive(Debug, Clone, Resource)]
#[crud(table("shelf", unmanaged), filter, sort, pagination(cursor))]
pub struct Shelf {
    #[crud(id(client))]
    pub code: i32,
    pub room: String,
}
