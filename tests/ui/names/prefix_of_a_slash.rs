use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(prefix = "/")]
pub struct Product {
    pub id: i64,
}

fn main() {}
