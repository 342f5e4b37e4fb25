use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete)]
pub struct Product {
    pub id: i64,
    pub is_deleted: bool,
}

#[derive(Resource)]
#[crud(soft_delete(include_deleted_by_default))]
pub struct Order {
    pub id: i64,
    pub removed_at: Option<DateTime<Utc>>,
}

fn main() {}
