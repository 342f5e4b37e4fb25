use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(prefix = products, table = 5)]
pub struct Product {
    pub id: i64,
}

fn main() {}
