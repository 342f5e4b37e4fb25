use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(references(Category))]
    pub category_id: i64,
}

fn main() {}
