use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(min = 0, min = 1)]
    pub price: f64,
    #[crud(unique)]
    #[crud(unique)]
    pub name: String,
}

fn main() {}
