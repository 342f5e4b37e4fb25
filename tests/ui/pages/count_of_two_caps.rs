use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(pagination(count = capped(1, 2)))]
pub struct Product {
    pub id: i64,
}

fn main() {}
