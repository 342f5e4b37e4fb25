use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter(sort, limit, skip))]
pub struct Product {
    pub id: i64,
    pub sort: String,
    pub limit: i32,
    #[crud(rename = "include_deleted")]
    pub skip: bool,
}

fn main() {}
