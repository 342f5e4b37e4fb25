//! Readers.

use crud_runtime::prelude::*;

/// A readers.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("readers", unmanaged),
    prefix = "/readers_2",
    filter,
    sort,
    pagination(cursor)
)]
pub struct Readers {
    #[crud(id(client))]
    pub day: NaiveDate,
    pub number: i64,
}
