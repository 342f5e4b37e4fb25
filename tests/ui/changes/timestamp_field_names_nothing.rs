use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete(deleted_at_field = removd_at))]
pub struct Product {
    pub id: i64,
    pub removed_at: Option<DateTime<Utc>>,
}

#[derive(Resource)]
#[crud(soft_delete(deleted_at_field = gone))]
pub struct Order {
    pub id: i64,
    pub deleted_at: Option<DateTime<Utc>>,
}

fn main() {}
