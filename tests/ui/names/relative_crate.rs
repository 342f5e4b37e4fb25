use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(crate = crud_runtime)]
pub struct Product {
    pub id: i64,
}

fn main() {}
