use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(unique(active))]
    pub name: String,
}

fn main() {}
