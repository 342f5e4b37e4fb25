use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter sort)]
pub struct Product {
    pub id: i64,
    #[crud(min = 0 max = 5)]
    pub price: f64,
}

fn main() {}
