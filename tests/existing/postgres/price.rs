//! Prices.

use crud_runtime::prelude::*;

/// A price.
#[derive(Debug, Clone, Resource)]
#[crud(table("prices", unmanaged, no_key), filter, sort, pagination)]
pub struct Price {
    pub publisher: Option<i32>,
    #[crud(column(sql_type = "numeric"))]
    pub total: Option<String>,
    pub books: Option<i64>,
}
