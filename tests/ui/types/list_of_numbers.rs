use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    pub sizes: Vec<i64>,
}

fn main() {}
