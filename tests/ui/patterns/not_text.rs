use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(pattern = 5)]
    pub a: String,
    #[crud(pattern)]
    pub b: String,
    #[crud(pattern("a"))]
    pub c: String,
}

fn main() {}
