use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(pagination(count = capped(5000000000)))]
pub struct Product {
    pub id: i64,
}

fn main() {}
