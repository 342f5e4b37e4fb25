use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(pattern = r"^\d+$")]
    pub a: String,
    #[crud(pattern = r"^\w+$")]
    pub b: String,
    #[crud(pattern = r"^[\s]$")]
    pub c: String,
    #[crud(pattern = r"\bword\b")]
    pub d: String,
    #[crud(pattern = "a.c")]
    pub e: String,
}

fn main() {}
