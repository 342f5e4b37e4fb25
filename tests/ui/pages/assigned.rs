use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(pagination = 20)]
pub struct Product {
    pub id: i64,
}

fn main() {}
