use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(pagination(default_limit = 20, max_limit = 10))]
pub struct Product {
    pub id: i64,
}

fn main() {}
