use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(rename_all = "camelCase")]
pub struct Product {
    pub id: i64,
    pub unit_price: f64,
    #[crud(rename = "unitPrice")]
    pub price: f64,
}

fn main() {}
