use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter(nmae, price))]
pub struct Product {
    pub id: i64,
    pub name: String,
    pub price: f64,
}

fn main() {}
