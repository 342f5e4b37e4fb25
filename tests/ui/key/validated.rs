use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    #[crud(min = 1)]
    pub id: i64,
}

fn main() {}
