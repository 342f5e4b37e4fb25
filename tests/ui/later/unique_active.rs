use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(unique(active))]
    pub name: String,
    #[crud(unique(activ))]
    pub code: String,
}

fn main() {}
