use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(expand)]
    pub category_id: i64,
    #[crud(relation = shelf)]
    pub shelf_id: i64,
}

fn main() {}
