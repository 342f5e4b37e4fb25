//! Versioneds.

use crud_runtime::prelude::*;

/// A versioned.
#[derive(Debug, Clone, Resource)]
#[crud(table("versioned", unmanaged), filter, sort, pagination(cursor))]
pub struct Versioned {
    #[crud(id(client))]
    pub id: i32,
    pub note: Option<String>,
}
