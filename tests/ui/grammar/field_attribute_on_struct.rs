use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(min = 0, references = Category)]
pub struct Product {
    pub id: i64,
}

fn main() {}
