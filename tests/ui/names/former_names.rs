use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    #[crud(renamed_from = "key")]
    pub id: i64,
    #[crud(renamed_from = "price")]
    pub title: String,
    #[crud(renamed_from = "PRICE")]
    pub price: i64,
    #[crud(renamed_from = "")]
    pub stock: i64,
    #[crud(renamed_from = "colour")]
    pub color: String,
    #[crud(renamed_from = "colour")]
    pub shade: String,
    #[crud(renamed_from = old)]
    pub note: String,
}

#[derive(Resource)]
pub struct Order {
    pub id: i64,
    #[crud(tenant, renamed_from = "shop")]
    pub shop_id: i64,
}

fn main() {}
