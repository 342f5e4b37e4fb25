use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(pagination(max_limit = 5000000000))]
pub struct Product {
    pub id: i64,
}

fn main() {}
