use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    pub count: u64,
    pub size: usize,
}

fn main() {}
