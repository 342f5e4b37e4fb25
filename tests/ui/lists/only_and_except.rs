use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(only(list), except(delete))]
pub struct Product {
    pub id: i64,
}

fn main() {}
