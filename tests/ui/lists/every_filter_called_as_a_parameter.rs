use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter)]
pub struct Product {
    pub id: i64,
    pub limit: i32,
}

fn main() {}
