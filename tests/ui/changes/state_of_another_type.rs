use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete)]
pub struct Product {
    pub id: i64,
    pub is_deleted: i32,
    pub deleted_at: Option<DateTime<Utc>>,
}

#[derive(Resource)]
#[crud(soft_delete)]
pub struct Order {
    pub id: i64,
    pub is_deleted: Option<bool>,
    pub deleted_at: Option<DateTime<Utc>>,
}

fn main() {}
