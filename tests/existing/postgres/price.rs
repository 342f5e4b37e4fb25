//! Prices.

use crud_runtime::prelude::*;

/// A price.
#[derive(Debug, Clone, Resource)]
#[crud(unmanaged, table = "prices", filter, sort, no_key, pagination)]
pub struct Price {
    pub publisher: Option<i32>,
    #[crud(sql_type = "numeric")]
    pub total: Option<String>,
    pub books: Option<i64>,
}
