use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(oops)]
pub struct Category {
    pub id: i64,
}

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(references = Category)]
    pub category_id: i64,
}

fn main() {}
