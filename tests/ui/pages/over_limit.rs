use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(pagination(over_limit = refuse))]
pub struct Product {
    pub id: i64,
}

fn main() {}
