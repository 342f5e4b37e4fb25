use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(min_lenght = 1, max_lenght = 5)]
    pub name: String,
}

fn main() {}
