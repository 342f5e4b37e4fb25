use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(except(delete, delete))]
pub struct Product {
    pub id: i64,
}

fn main() {}
