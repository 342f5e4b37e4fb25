use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete(deleted_at_field = changed_at))]
pub struct Product {
    pub id: i64,
    #[crud(updated_at)]
    pub changed_at: DateTime<Utc>,
}

#[derive(Resource)]
#[crud(soft_delete(deleted_at_field = id))]
pub struct Order {
    pub id: i64,
}

#[derive(Resource)]
#[crud(soft_delete)]
pub struct Basket {
    pub id: i64,
    #[crud(created_at)]
    pub deleted_at: DateTime<Utc>,
}

fn main() {}
