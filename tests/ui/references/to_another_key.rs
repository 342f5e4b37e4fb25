use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Category {
    pub id: String,
}

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(references = Category)]
    pub category_id: i64,
    #[crud(references = Category)]
    pub other_id: Option<Uuid>,
}

fn main() {}
