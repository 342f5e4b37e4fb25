use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(pagnation)]
pub struct Product {
    pub id: i64,
}

fn main() {}
