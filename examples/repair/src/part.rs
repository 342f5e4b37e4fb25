use crud_runtime::prelude::*;

use crate::Shop;

/// A part in stock.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name, stock), sort(name, stock), pagination, audit)]
pub struct Part {
    pub id: i64,
    #[crud(tenant, references(Shop))]
    pub shop_id: i64,
    #[crud(unique, length(max = 100))]
    pub name: String,
    #[crud(range(min = 0), decimal(12, 2))]
    pub price: Decimal,
    #[crud(range(min = 0))]
    pub stock: i32,
}
