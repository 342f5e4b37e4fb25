use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(pattern = "(?=a)b")]
    pub a: String,
    #[crud(pattern = r"(a)\1")]
    pub b: String,
    #[crud(pattern = "a++")]
    pub c: String,
}

fn main() {}
