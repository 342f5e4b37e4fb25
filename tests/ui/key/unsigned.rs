use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: u64,
}

fn main() {}
