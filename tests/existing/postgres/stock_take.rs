//! Stock takes.

use crud_runtime::prelude::*;

/// A stock take.
#[derive(Debug, Clone, Resource)]
#[crud(table("stock_take", unmanaged), filter, sort, pagination(cursor))]
pub struct StockTake {
    #[crud(id, default(database))]
    pub id: i64,
    #[crud(id, default(database))]
    pub branch: String,
    pub books: i64,
}
