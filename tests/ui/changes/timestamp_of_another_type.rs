use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete)]
pub struct Product {
    pub id: i64,
    pub deleted_at: Option<String>,
}

#[derive(Resource)]
#[crud(soft_delete(deleted_at_field = removed))]
pub struct Order {
    pub id: i64,
    pub removed: Option<NaiveDateTime>,
}

fn main() {}
