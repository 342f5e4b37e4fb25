use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(table = "a")]
#[crud(table = "b")]
pub struct Product {
    pub id: i64,
}

fn main() {}
