use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(min = "0")]
    pub a: f64,
    #[crud(max = 0.5)]
    pub b: i32,
    #[crud(min = 40000)]
    pub c: i16,
    #[crud(min = -1)]
    pub d: u32,
    #[crud(one_of("a", 1))]
    pub e: String,
    #[crud(one_of("a", 1.5, 1))]
    pub f: i64,
    #[crud(min_length = -1)]
    pub g: String,
    #[crud(max_length = 1.5)]
    pub h: String,
    #[crud(min = LOWEST)]
    pub i: i64,
}

fn main() {}
