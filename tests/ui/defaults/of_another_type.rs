use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(default = "many")]
    pub stock: i32,
    #[crud(default = 5)]
    pub name: String,
    #[crud(default = 1.5)]
    pub count: Option<i64>,
    #[crud(default = None)]
    pub flag: bool,
}

fn main() {}
