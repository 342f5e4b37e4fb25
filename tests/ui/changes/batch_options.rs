use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(batch(max_size = "many", mode = some, size = 5))]
pub struct Product {
    pub id: i64,
}

fn main() {}
