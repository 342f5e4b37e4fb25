use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(pagination(count = estimated))]
pub struct Product {
    pub id: i64,
}

fn main() {}
