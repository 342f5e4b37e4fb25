use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Category {
    pub id: i64,
}

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(references = Category, expand)]
    pub shelf: i64,
    #[crud(references = Category, expand)]
    pub category_id: i64,
    pub category: String,
}

fn main() {}
