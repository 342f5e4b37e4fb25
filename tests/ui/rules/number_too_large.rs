use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(max = 99999999999999999999)]
    pub stock: i64,
}

fn main() {}
