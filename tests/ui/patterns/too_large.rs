use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(pattern = "((a{1000}){1000}){10}")]
    pub a: String,
}

fn main() {}
