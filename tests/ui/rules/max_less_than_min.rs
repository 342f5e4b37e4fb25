use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(min = 5, max = 4)]
    pub a: i32,
    #[crud(max = -0.5, min = 0)]
    pub b: f64,
    #[crud(min_length = 9, max_length = 8)]
    pub c: String,
}

fn main() {}
