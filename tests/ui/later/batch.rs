use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(batch(max_size = 1000, mode = atomic))]
pub struct Product {
    pub id: i64,
}

fn main() {}
