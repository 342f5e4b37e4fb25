use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(prefix = "/products/")]
pub struct Product {
    pub id: i64,
}

fn main() {}
