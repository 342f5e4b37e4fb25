use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    #[crud(backfill = 5)]
    pub id: i64,
    #[crud(backfill = "none")]
    pub note: Option<String>,
    #[crud(backfill = 5)]
    pub title: String,
    #[crud(backfill)]
    pub stock: i64,
}

fn main() {}
