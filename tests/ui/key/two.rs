use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    #[crud(id)]
    pub number: i64,
    #[crud(id)]
    pub code: String,
}

fn main() {}
