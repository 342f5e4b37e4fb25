use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(pattern = "(?i)abc")]
    pub a: String,
    #[crud(pattern = "(?x: a b )")]
    pub b: String,
}

fn main() {}
