use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(pagination(max_limit = 20, max_limit = 30))]
pub struct Product {
    pub id: i64,
}

fn main() {}
