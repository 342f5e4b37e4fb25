use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(pagination(default_limit = 0, max_limit = 0))]
pub struct Product {
    pub id: i64,
}

fn main() {}
