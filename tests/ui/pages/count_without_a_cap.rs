use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(pagination(count = capped))]
pub struct Product {
    pub id: i64,
}

fn main() {}
