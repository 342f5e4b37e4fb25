use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete, index(is_deleted, name), unique(name, is_deleted))]
pub struct Product {
    pub id: i64,
    pub name: String,
    #[crud(index, column = "gone")]
    pub is_deleted: bool,
    pub deleted_at: Option<DateTime<Utc>>,
}

#[derive(Resource)]
#[crud(soft_delete)]
pub struct Order {
    pub id: i64,
    #[crud(unique)]
    pub is_deleted: bool,
    pub deleted_at: Option<DateTime<Utc>>,
}

fn main() {}
