use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(table = "")]
pub struct Product {
    pub id: i64,
}

fn main() {}
