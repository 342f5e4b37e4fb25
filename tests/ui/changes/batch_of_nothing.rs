use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(batch(max_size = 0))]
pub struct Product {
    pub id: i64,
}

#[derive(Resource)]
#[crud(batch(max_size = 5000000000))]
pub struct Order {
    pub id: i64,
}

fn main() {}
