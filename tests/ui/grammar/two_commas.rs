use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter,, sort)]
pub struct Product {
    pub id: i64,
}

fn main() {}
