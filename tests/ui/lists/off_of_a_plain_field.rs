use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter(name), sort)]
pub struct Product {
    pub id: i64,
    pub name: String,
    #[crud(filter = off)]
    pub price: f64,
    #[crud(sort = off)]
    pub stock: i32,
}

fn main() {}
