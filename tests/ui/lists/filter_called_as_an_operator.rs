use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter(price__gt))]
pub struct Product {
    pub id: i64,
    pub price: f64,
    pub price__gt: f64,
}

fn main() {}
