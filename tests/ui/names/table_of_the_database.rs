use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(table = "sqlite_products")]
pub struct Product {
    pub id: i64,
}

fn main() {}
