use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(pattern = "(")]
    pub a: String,
    #[crud(pattern = "a{2,1}")]
    pub b: String,
    #[crud(pattern = "[z-a]")]
    pub c: String,
}

fn main() {}
